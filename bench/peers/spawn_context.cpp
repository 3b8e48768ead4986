// SPDX-License-Identifier: ISC
// The floor of `spawn`: a context's life on a pooled, warm stack: create, enter, return, release.
#include <boost/context/detail/fcontext.hpp>

#include <vector>

#include "sample.hpp"

namespace {

namespace ctx = boost::context::detail;

std::uint64_t ran = 0, checksum = 0;

class StackPool {
public:
    static constexpr std::size_t size = 16384;
    char* take() {
        if (free_.empty()) return new char[size];
        char* top = free_.back();
        free_.pop_back();
        return top;
    }
    void give(char* stack) { free_.push_back(stack); }

private:
    std::vector<char*> free_; // kept until the process ends
};

void body(ctx::transfer_t from) {
    checksum += ran++;
    ctx::jump_fcontext(from.fctx, nullptr);
}

void live(StackPool& pool, std::uint64_t work, std::uint64_t at_a_time) {
    struct Life {
        char* stack;
        ctx::fcontext_t entry;
    };
    std::vector<Life> lives(at_a_time);
    for (std::uint64_t done = 0; done < work;) {
        const std::uint64_t n = work - done < at_a_time ? work - done : at_a_time;
        for (std::uint64_t i = 0; i < n; ++i) {
            lives[i].stack = pool.take();
            lives[i].entry = ctx::make_fcontext(lives[i].stack + StackPool::size, StackPool::size, body);
        }
        for (std::uint64_t i = 0; i < n; ++i) {
            ctx::jump_fcontext(lives[i].entry, nullptr);
            pool.give(lives[i].stack);
        }
        done += n;
    }
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "one");
    const std::uint64_t work = opts.number("work", 1'000'000), at_a_time = variant == "one" ? 1 : 10'000;
    StackPool pool;
    live(pool, work / 10 + at_a_time, at_a_time);
    ran = checksum = 0;
    const std::int64_t start = bench::now_ns();
    live(pool, work, at_a_time);
    const std::int64_t took = bench::now_ns() - start;
    bench::print({"spawn", "boost-context", variant, "ns", double(took) / double(ran), ran, checksum});
}
