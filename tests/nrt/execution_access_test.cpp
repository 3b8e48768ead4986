// SPDX-License-Identifier: ISC
// Executions and queued transfers on one piece of memory.
#include "nrt/client/packages.hpp"
#include "nrt/tensor.hpp"
#include "support/loops.hpp"

#include <atomic>
#include <string>
#include <thread>

using namespace client;
using xtc::nrt::Access;

namespace {

Access& access_of(nrt_tensor_t* tensor) {
    return xtc::nrt::Tensor::of(tensor)->view()->storage().access();
}

// Whether the model runs only after the transfer has ended.
bool waits_for(const Unary& tensors, nrt_model_t* model, nrt_tensor_t* tensor, Access::Kind kind) {
    Access& access = access_of(tensor);
    access.begin(kind);
    std::atomic<bool> ended{false};
    bool was_ended = false;
    std::thread client([&] {
        tensors.run(model);
        was_ended = ended.load();
    });
    for (int i = 0; i < 2000; ++i) std::this_thread::yield(); // time to go wrong
    ended.store(true);
    access.end(kind);
    client.join();
    return was_ended;
}

} // namespace

TEST_CASE("An execution waits for queued transfers that are in its way", "[nrt][execute][threads]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    CHECK(waits_for(tensors, model, tensors.x, Access::Kind::write));
    CHECK(waits_for(tensors, model, tensors.y, Access::Kind::read));
    CHECK(waits_for(tensors, model, tensors.y, Access::Kind::write));
}

TEST_CASE("Readers of an input are not in an execution's way, nor are other executions", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    access_of(tensors.x).begin(Access::Kind::read);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    access_of(tensors.x).end(Access::Kind::read);
    access_of(tensors.y).begin(Access::Kind::write, Access::Source::execution);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    access_of(tensors.y).end(Access::Kind::write, Access::Source::execution);
}

TEST_CASE("A batch that can not wait for one of its ranges moves none", "[nrt][tensor_io]") {
    // It moved the ranges before the busy one.
    struct Batches {
        const Tensor free{4}, busy{4};
        char text[8] = "new";
        const nrt_tensor_batch_op_t op{0, 3, text};
        const nrt_tensor_batch_t both[2] = {{free, &op, 1}, {busy, &op, 1}};
        NRT_STATUS safe = NRT_SUCCESS, unsafe = NRT_FAILURE, one = NRT_SUCCESS;
        std::string between;
    };
    const Runtime runtime;
    Batches b;
    b.free.write("old");
    access_of(b.busy).begin(Access::Kind::write);
    xtc::test::TestLoop loop;
    REQUIRE(xtc_task_spawn(
                loop,
                [](xtc_task_t*, void* arg) {
                    auto& it = *static_cast<Batches*>(arg);
                    it.one = nrt_tensor_write(it.busy, it.text, 0, 3);
                    it.safe = nrt_tensor_write_batch(it.both, 2, false);
                    it.between = it.free.read(0, 3);
                    it.unsafe = nrt_tensor_write_batch(it.both, 2, true);
                    return XTC_TASK_DONE;
                },
                &b, nullptr) == XTC_OK);
    loop.run();
    access_of(b.busy).end(Access::Kind::write);
    CHECK(b.one == NRT_INVALID);
    CHECK(b.safe == NRT_INVALID);
    CHECK(b.between == "old");
    CHECK(b.unsafe == NRT_SUCCESS);
    CHECK(b.free.read(0, 3) == "new");
    CHECK(b.busy.read(0, 3) == "new");
}

TEST_CASE("A complete execution holds nothing of its tensors", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("nan"));
    const Unary tensors;
    tensors.run(model);
    CHECK(access_of(tensors.x).is_free_to(Access::Kind::write));
    CHECK(access_of(tensors.y).is_free_to(Access::Kind::write));
}
