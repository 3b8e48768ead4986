// SPDX-License-Identifier: ISC
#include "loop/driver_factory.hpp"

#include "base/env.hpp"
#include "loop/epoll.hpp"
#include "loop/uring.hpp"
#include "loop/uring_driver.hpp"

#include <xtc.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>

namespace xtc {

namespace {

int make_epoll(DriverRef* out) {
    std::unique_ptr<EpollDriver> driver(new (std::nothrow) EpollDriver);
    if (driver == nullptr) return XTC_E_NOMEM;
    int rc = driver->open();
    if (rc == 0) rc = driver->hear_bell();
    if (rc != 0) return rc == -ENOMEM ? XTC_E_NOMEM : XTC_E_RESOURCE;
    *out = {&EpollDriver::table, driver.release()};
    return XTC_OK;
}

} // namespace

int driver_choose(Backend* out, const Teller& tell) noexcept {
    const char* wish = env_get("XTC_IO_BACKEND");
    const std::string_view word = wish != nullptr ? wish : "auto";
    if (word == "epoll") {
        *out = Backend::epoll;
        return XTC_OK;
    }
    if (word != "auto" && word != "uring") {
        char sentence[256];
        std::snprintf(
            sentence, sizeof(sentence),
            "XTC_IO_BACKEND is \"%.64s\", which is none of auto, uring and epoll. Set it to one of these, or "
            "unset it.",
            wish);
        tell(sentence);
        return XTC_E_INVAL;
    }
    const int refused = probe_uring();
    if (refused != 0) tell_refusal(tell, refused, word == "auto");
    if (word == "uring") {
        if (refused != 0) return XTC_E_NOSYS;
        *out = Backend::uring_only;
        return XTC_OK;
    }
    *out = refused == 0 ? Backend::uring : Backend::epoll;
    return XTC_OK;
}

int driver_make(Backend backend, const Teller& tell, DriverRef* out) noexcept {
    if (backend == Backend::epoll) return make_epoll(out);
    auto* driver = new (std::nothrow) UringDriver(backend == Backend::uring, tell);
    if (driver == nullptr) return XTC_E_NOMEM;
    *out = {&UringDriver::table, driver};
    return XTC_OK;
}

const char* backend_name(Backend backend) noexcept {
    return backend == Backend::epoll ? "epoll" : "uring";
}

const char* backend_name(const DriverRef& driver) noexcept {
    if (driver.table != &UringDriver::table) return driver.table->name;
    return backend_name(static_cast<const UringDriver*>(driver.self)->has_fallen_back() ? Backend::epoll
                                                                                        : Backend::uring);
}

} // namespace xtc
