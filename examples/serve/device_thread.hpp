// SPDX-License-Identifier: ISC
// The device: a thread of the server that computes one step at a time and signals an eventfd, the fence, when
// it is done. A real accelerator's runtime would stand here.
#pragma once

#include <atomic>
#include <semaphore>
#include <thread>

#include "device.hpp"

namespace serve {

class DeviceThread {
public:
    explicit DeviceThread(Model& model);
    // Waits for the step under way.
    ~DeviceThread();
    DeviceThread(const DeviceThread&) = delete;
    DeviceThread& operator=(const DeviceThread&) = delete;

    // The device may use the step until the fence has been seen and taken. False when one is under way.
    bool launch(Step& step);
    int fence_fd() const { return fence_fd_; }
    // After the fence: puts it back, and says whether the step succeeded.
    bool take_fence();

private:
    void run();

    Model& model_;
    int fence_fd_;
    Step* step_ = nullptr;
    enum class State { idle, busy, succeeded, failed };
    std::atomic<State> state_ = State::idle;
    std::atomic<bool> leaving_ = false;
    std::counting_semaphore<2> work_{0}; // a step, and leaving
    std::thread thread_;
};

} // namespace serve
