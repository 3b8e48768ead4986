// SPDX-License-Identifier: ISC
#include "device_thread.hpp"

#include <stdexcept>

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace serve {
namespace {

int make_fence() {
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) throw std::runtime_error("no descriptor for the device's fence");
    return fd;
}

} // namespace

DeviceThread::DeviceThread(Model& model)
    : model_(model), fence_fd_(make_fence()), thread_([this] { run(); }) {
    pthread_setname_np(thread_.native_handle(), "serve-device");
}

DeviceThread::~DeviceThread() {
    leaving_.store(true);
    work_.release();
    thread_.join();
    close(fence_fd_);
}

bool DeviceThread::launch(Step& step) {
    if (state_.load() != State::idle) return false;
    state_.store(State::busy);
    step_ = &step;
    work_.release();
    return true;
}

bool DeviceThread::take_fence() {
    eventfd_t count = 0;
    if (eventfd_read(fence_fd_, &count) != 0) return false;
    return state_.exchange(State::idle) == State::succeeded;
}

void DeviceThread::run() {
    while (true) {
        work_.acquire();
        if (leaving_.load()) return;
        state_.store(model_.step(*step_) ? State::succeeded : State::failed);
        eventfd_write(fence_fd_, 1);
    }
}

} // namespace serve
