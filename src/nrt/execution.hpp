// SPDX-License-Identifier: ISC
// One run of a model, from the call that asks for it until it is complete: what it runs and on which memory.
#pragma once

#include <nrt/nrt.h>
#include <xtc_sync.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "nrt/callout.hpp"
#include "nrt/loaded_model.hpp"
#include "nrt/tensor.hpp"
#include "nrt/tensor_set.hpp"

namespace xtc::nrt {

class Execution {
public:
    enum class Mode {
        sync,     // who asked waits for it and gives it back
        implicit, // the callback hears of it
    };
    // Where tensors may lie.
    enum class Placement { anywhere, device };

    Execution() = default;
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    int prepare_notify() noexcept; // once, before everything else

    // Takes the tensors of the model's names, and holds their memory. NRT_INVALID, with a logged sentence:
    // they do not fit. Throws std::bad_alloc. After a failure reset() is due.
    NRT_STATUS bind(PinnedModel model, const TensorSet& in, const TensorSet& out, Placement placement);
    void reset() noexcept;

    // Until no queued transfer is in the way.
    int wait_for_transfers();
    // Around the time in the queue.
    void begin_access() noexcept;
    void end_access() noexcept;

    LoadedModel& model() const noexcept { return *model_; }
    // On the thread that runs kernels.
    Outcome run(const Sleeper& sleeper) noexcept {
        const Callout inside(Callout::Kind::core);
        return model_->package().run(in_, out_, sleeper);
    }
    void count_outputs() noexcept;

    // The synchronous caller's, where waiting is possible.
    NRT_STATUS wait();
    // The worker's. True: from here on the execution belongs to who waits. False: nobody does.
    bool answer(NRT_STATUS status) noexcept;
    // Who waited is gone with its loop. False: the answer was there, and the execution is still its own.
    bool desert() noexcept;

    Mode mode = Mode::sync;
    Execution* next_free = nullptr; // the pool's

private:
    struct Bound {
        Ref<Tensor> tensor;
        Ref<View> view;
    };

    enum class Answer { open, given, unwanted };

    NRT_STATUS bind_one(const TensorSet& set, const TensorSpec& spec, const char* side, Placement placement,
                        std::vector<Bound>& into);

    PinnedModel model_;
    std::vector<Bound> in_tensors_;
    std::vector<Bound> out_tensors_;
    std::vector<InBuffer> in_;
    std::vector<OutBuffer> out_;
    NRT_STATUS status_ = NRT_SUCCESS;
    std::atomic<Answer> answer_{Answer::open};
    xtc_notify_t* answered_ = nullptr;
};

} // namespace xtc::nrt
