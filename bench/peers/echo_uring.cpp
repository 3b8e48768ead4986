// SPDX-License-Identifier: ISC
// `echo` on a bare ring, one thread, in three ways: `multishot` receive into provided buffers and sends on
// the ring; `speculative`: recv is tried first and armed on the ring only when it would block; `poll`: a
// multishot poll for each connection, recv and send called directly.
#include <memory>
#include <vector>

#include <poll.h>

#include "listener.hpp"
#include "ring.hpp"

namespace {

enum class Op : std::uint64_t { accept, receive, send, poll };

std::uint64_t tag(Op op, std::uint32_t fd, std::uint16_t buffer = 0) {
    return static_cast<std::uint64_t>(op) << 56 | std::uint64_t{buffer} << 32 | fd;
}

constexpr unsigned buffer_size = 4096, buffer_count = 2048;

class Server {
public:
    explicit Server(const std::string& mode)
        : multishot_(mode == "multishot"), polls_(mode == "poll"),
          buffers_(new char[buffer_size * buffer_count]) {
        if (multishot_) provide_buffers();
        if (!multishot_ && !polls_) private_buffers_.resize(4096);
        listener_ = bench::listen_on_loopback(false);
        accept();
    }

    [[noreturn]] void run() {
        bench::announce(bench::port_of(listener_));
        for (;;) {
            ring_.turn([&](io_uring_cqe* cqe) { complete(cqe); });
            if (recycled_) io_uring_buf_ring_advance(shared_, recycled_);
            recycled_ = 0;
        }
    }

private:
    void provide_buffers() {
        io_uring_buf_reg reg{};
        void* memory = nullptr;
        bench::need(posix_memalign(&memory, 4096, buffer_count * sizeof(io_uring_buf)) == 0,
                    "posix_memalign");
        shared_ = static_cast<io_uring_buf_ring*>(memory);
        reg.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
        reg.ring_entries = buffer_count;
        errno = -io_uring_register_buf_ring(&ring_.raw, &reg, 0);
        bench::need(errno == 0, "register_buf_ring");
        io_uring_buf_ring_init(shared_);
        for (unsigned i = 0; i < buffer_count; ++i) recycle(static_cast<std::uint16_t>(i));
    }

    char* buffer(std::uint16_t id) { return buffers_.get() + std::size_t{id} * buffer_size; }

    void recycle(std::uint16_t id) {
        io_uring_buf_ring_add(shared_, buffer(id), buffer_size, id, io_uring_buf_ring_mask(buffer_count),
                              static_cast<int>(recycled_++));
    }

    void accept() {
        io_uring_sqe* sqe = ring_.sqe();
        io_uring_prep_multishot_accept(sqe, listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        sqe->user_data = tag(Op::accept, 0);
    }

    void arm(int fd) {
        io_uring_sqe* sqe = ring_.sqe();
        const auto number = static_cast<std::uint32_t>(fd);
        if (multishot_) {
            io_uring_prep_recv_multishot(sqe, fd, nullptr, 0, 0);
            sqe->flags |= IOSQE_BUFFER_SELECT;
            sqe->buf_group = 0;
        } else if (polls_) {
            io_uring_prep_poll_multishot(sqe, fd, POLLIN);
        } else {
            io_uring_prep_recv(sqe, fd, private_buffer(fd), buffer_size, 0);
        }
        sqe->user_data = tag(polls_ ? Op::poll : Op::receive, number);
    }

    char* private_buffer(int fd) {
        auto& slot = private_buffers_.at(static_cast<std::size_t>(fd));
        if (!slot) slot = std::make_unique<char[]>(buffer_size);
        return slot.get();
    }

    void complete(io_uring_cqe* cqe) {
        const auto op = static_cast<Op>(cqe->user_data >> 56);
        const int fd = static_cast<int>(cqe->user_data & 0xffffffff);
        switch (op) {
        case Op::accept:
            if (cqe->res >= 0) {
                bench::no_delay(cqe->res);
                arm(cqe->res);
            }
            if (!(cqe->flags & IORING_CQE_F_MORE)) accept();
            break;
        case Op::receive:
            multishot_ ? received(fd, cqe) : speculate(fd, cqe->res);
            break;
        case Op::send:
            recycle(static_cast<std::uint16_t>(cqe->user_data >> 32));
            break;
        case Op::poll:
            readable(fd, cqe);
            break;
        }
    }

    void received(int fd, io_uring_cqe* cqe) {
        const bool more = cqe->flags & IORING_CQE_F_MORE;
        if (cqe->res > 0) {
            const auto id = static_cast<std::uint16_t>(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
            io_uring_sqe* sqe = ring_.sqe();
            io_uring_prep_send(sqe, fd, buffer(id), static_cast<std::size_t>(cqe->res), MSG_NOSIGNAL);
            sqe->user_data = tag(Op::send, static_cast<std::uint32_t>(fd), id);
        }
        if (more) return;
        if (cqe->res > 0 || cqe->res == -ENOBUFS) {
            arm(fd);
        } else {
            close(fd);
        }
    }

    void speculate(int fd, ssize_t got) {
        char* data = private_buffer(fd);
        while (got > 0 && bench::send_all(fd, data, got)) {
            got = recv(fd, data, buffer_size, 0);
            if (got < 0 && errno == EAGAIN) return arm(fd);
        }
        close(fd);
    }

    void readable(int fd, io_uring_cqe* cqe) {
        const ssize_t got = cqe->res < 0 ? 0 : recv(fd, buffer(0), buffer_size, 0);
        const bool alive = got > 0 ? bench::send_all(fd, buffer(0), got) : got < 0 && errno == EAGAIN;
        // While a multishot poll is armed the ring holds the socket: a shutdown ends the poll, then it is
        // closed.
        if (!alive && cqe->flags & IORING_CQE_F_MORE) {
            shutdown(fd, SHUT_RDWR);
        } else if (!alive) {
            close(fd);
        } else if (!(cqe->flags & IORING_CQE_F_MORE)) {
            arm(fd);
        }
    }

    bench::Ring ring_{4096};
    bool multishot_, polls_;
    std::unique_ptr<char[]> buffers_;
    std::vector<std::unique_ptr<char[]>> private_buffers_;
    io_uring_buf_ring* shared_ = nullptr;
    unsigned recycled_ = 0;
    int listener_ = -1;
};

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    bench::need_descriptors(4096);
    Server(opts.text("mode", "multishot")).run();
}
