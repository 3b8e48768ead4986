// SPDX-License-Identifier: ISC
// `echo` on Boost.Asio: one io_context that knows it has one thread, callbacks, one session object a
// connection.
#include <utility> // asio 1.74 forgets it where coroutines exist

#include <boost/asio.hpp>

#include <array>
#include <memory>

#include "sample.hpp"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
public:
    explicit Session(tcp::socket socket) : socket_(std::move(socket)) {
        socket_.set_option(tcp::no_delay(true));
    }

    void receive() {
        socket_.async_read_some(asio::buffer(data_),
                                [self = shared_from_this()](auto error, std::size_t got) {
                                    if (!error) self->reply(got);
                                });
    }

private:
    void reply(std::size_t len) {
        asio::async_write(socket_, asio::buffer(data_, len),
                          [self = shared_from_this()](auto error, std::size_t) {
                              if (!error) self->receive();
                          });
    }

    tcp::socket socket_;
    std::array<char, 4096> data_;
};

void accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([&acceptor](auto error, tcp::socket socket) {
        if (!error) std::make_shared<Session>(std::move(socket))->receive();
        accept(acceptor);
    });
}

} // namespace

int main() {
    bench::need_descriptors(4096);
    asio::io_context context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
    tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    acceptor.listen(2048);
    accept(acceptor);
    std::printf("port %u\n", unsigned{acceptor.local_endpoint().port()});
    std::fflush(stdout);
    context.run();
}
