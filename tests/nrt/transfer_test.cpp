// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

#include "nrt/log.hpp"
#include "nrt/transfer.hpp"
#include "support/loops.hpp"

using namespace xtc::nrt;
using namespace xtc::test;

namespace {

constexpr size_t kMiB = size_t{1} << 20;

std::vector<unsigned char> counting(size_t size) {
    std::vector<unsigned char> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 + i / 4096);
    return bytes;
}

// A tensor of a test's own, of device memory on core 0.
struct Held {
    Ref<Tensor> tensor;
    nrt_tensor_t* handle;
    explicit Held(size_t size)
        : tensor(Tensor::make("held", View::whole(Storage::allocate(size, 0)))),
          handle(reinterpret_cast<nrt_tensor_t*>(tensor.get())) {
        set_log(LogLevel::quiet, LogPlace::console);
    }
    Access& access() const { return tensor->view()->storage().access(); }
};

Range range_of(const Held& held, size_t offset, size_t size) {
    Range range;
    REQUIRE(Range::find(held.handle, "it", offset, size, &range) == NRT_SUCCESS);
    return range;
}

} // namespace

TEST_CASE("Bytes that overlap move as memmove moves them, slice by slice", "[nrt][transfer]") {
    for (const long shift : {1L, 4096L, static_cast<long>(kMiB), static_cast<long>(kMiB) + 1, 0L}) {
        for (const bool up : {true, false}) {
            CAPTURE(shift, up);
            std::vector<unsigned char> bytes = counting(5 * kMiB);
            std::vector<unsigned char> expected = bytes;
            const size_t low = kMiB;
            const size_t high = low + static_cast<size_t>(shift);
            const size_t from = up ? low : high;
            const size_t to = up ? high : low;
            const size_t size = 2 * kMiB + 3;
            std::memmove(expected.data() + to, expected.data() + from, size);
            move_bytes(bytes.data() + to, bytes.data() + from, size);
            CHECK(bytes == expected);
        }
    }
}

TEST_CASE("A long transfer lets the other fibers of its loop run", "[nrt][transfer]") {
    std::vector<unsigned char> from = counting(8 * kMiB);
    std::vector<unsigned char> to(from.size());
    bool done = false;
    int turns = 0;
    TestLoop loop;
    loop.proc([&] {
        move_bytes(to.data(), from.data(), from.size());
        done = true;
    });
    loop.proc([&] {
        while (!done) {
            ++turns;
            xtc_yield();
        }
    });
    loop.run();
    CHECK(turns >= 7);
    CHECK(to == from);
}

TEST_CASE("A killed fiber finishes its transfer first", "[nrt][transfer]") {
    std::vector<unsigned char> from = counting(4 * kMiB);
    std::vector<unsigned char> to(from.size());
    bool went_on = false;
    TestLoop loop;
    const xtc_pid_t victim = loop.proc([&] {
        move_bytes(to.data(), from.data(), from.size());
        went_on = true;
    });
    loop.proc([&] { CHECK(xtc_exit_pid(victim, 1) == XTC_OK); });
    loop.run();
    CHECK(to == from);
    CHECK_FALSE(went_on);
}

TEST_CASE("Reads wait for queued writers, writes, fills and copies for queued readers too",
          "[nrt][transfer]") {
    using Kind = Access::Kind;
    const struct {
        const char* name;
        Kind queued;
        bool waits;
        NRT_STATUS (*act)(const Range&, const Range&, char*);
    } cases[] = {
        {"read past writer", Kind::write, true,
         [](const Range& a, const Range&, char* b) { return a.read(b, Waits::yes); }},
        {"read past reader", Kind::read, false,
         [](const Range& a, const Range&, char* b) { return a.read(b, Waits::yes); }},
        {"write past reader", Kind::read, true,
         [](const Range& a, const Range&, char* b) { return a.write(b, Waits::yes); }},
        {"fill past reader", Kind::read, true, [](const Range& a, const Range&, char*) { return a.fill(1); }},
        {"copy into, past reader", Kind::read, true,
         [](const Range& a, const Range& other, char*) { return a.copy_from(other); }},
        {"copy out of, past reader", Kind::read, false,
         [](const Range& a, const Range& other, char*) { return Range(other).copy_from(a); }},
        {"copy out of, past writer", Kind::write, true,
         [](const Range& a, const Range& other, char*) { return Range(other).copy_from(a); }},
        {"unsafe read past writer", Kind::write, false,
         [](const Range& a, const Range&, char* b) { return a.read(b, Waits::no); }},
        {"unsafe write past reader", Kind::read, false,
         [](const Range& a, const Range&, char* b) { return a.write(b, Waits::no); }},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Held held(16);
        const Held other(16);
        char buffer[16] = {};
        const Range range = range_of(held, 0, 16);
        const Range second = range_of(other, 0, 16);
        held.access().begin(c.queued);
        bool done = false;
        bool done_before_end = false;
        TestLoop loop;
        loop.proc([&] {
            CHECK(c.act(range, second, buffer) == NRT_SUCCESS);
            done = true;
        });
        loop.proc([&] {
            xtc_yield();
            done_before_end = done;
            held.access().end(c.queued);
        });
        loop.run();
        CHECK(done);
        CHECK(done_before_end == !c.waits);
    }
}

TEST_CASE("Slices share the waits of their memory", "[nrt][transfer]") {
    const Held held(64);
    const Ref<Tensor> slice = Tensor::make("slice", View::part(*held.tensor->view(), 32, 32));
    held.access().begin(Access::Kind::write);
    CHECK_FALSE(slice->view()->storage().access().is_free_to(Access::Kind::read));
    held.access().end(Access::Kind::write);
}

TEST_CASE("A range keeps the memory that an attached buffer replaced", "[nrt][transfer]") {
    const Held held(8);
    const Range old = range_of(held, 0, 8);
    CHECK(old.fill(7) == NRT_SUCCESS);
    char buffer[4] = {};
    held.tensor->attach(View::whole(Storage::borrow(buffer, sizeof buffer)));
    char seen[8] = {};
    CHECK(old.read(seen, Waits::yes) == NRT_SUCCESS);
    CHECK(seen[7] == 7);
    Range none;
    CHECK(Range::find(held.handle, "it", 0, 8, &none) == NRT_INVALID);
}
