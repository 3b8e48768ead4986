// SPDX-License-Identifier: ISC
// `batch-life` as it is written without a library: a thread that gathers a batch from a deque under a mutex
// and a condition variable, and producers that wait while the deque is full.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "batch_work.hpp"
#include "sample.hpp"

namespace {

class Gatherer {
public:
    Gatherer(std::size_t slots, std::size_t active) : slots_(slots), active_(active) {}

    void put(bench::Request& request) {
        std::unique_lock hold(lock_);
        room_.wait(hold, [this] { return waiting_.size() < slots_; });
        waiting_.push_back(&request);
        hold.unlock();
        work_.notify_one();
    }

    void serve(std::uint64_t count) {
        while (batch.completed < count) {
            {
                std::unique_lock hold(lock_);
                work_.wait(hold, [this] { return !waiting_.empty(); });
                while (!waiting_.empty() && batch.members.size() < active_) {
                    batch.members.push_back(waiting_.front());
                    waiting_.pop_front();
                }
            }
            room_.notify_all();
            batch.step();
        }
    }

    bench::Batch batch;

private:
    std::size_t slots_, active_;
    std::mutex lock_;
    std::condition_variable work_, room_;
    std::deque<bench::Request*> waiting_;
};

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "owner");
    const std::uint64_t work = opts.number("work", 1'000'000);
    const std::uint64_t producers = variant.starts_with("mt-") ? std::stoull(variant.substr(3)) : 1;
    std::vector<bench::Request> all = bench::requests(work);
    Gatherer gatherer(opts.number("slots", 1024), opts.number("active", 256));
    const std::int64_t begun = bench::now_ns();
    std::vector<std::thread> threads;
    for (std::uint64_t p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            for (std::uint64_t i = p; i < all.size(); i += producers) gatherer.put(all[i]);
        });
    }
    gatherer.serve(work);
    const std::int64_t took = bench::now_ns() - begun;
    for (std::thread& thread : threads) thread.join();
    bench::print({"batch-life",
                  "mutex",
                  variant,
                  "ns",
                  double(took) / double(work),
                  gatherer.batch.completed,
                  gatherer.batch.checksum,
                  {{"vector", double(work) / double(gatherer.batch.steps)}}});
}
