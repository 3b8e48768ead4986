// SPDX-License-Identifier: ISC
#include "nrt/execution.hpp"

#include <xtc.h>
#include <xtc_proc.h>

#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

Execution::~Execution() {
    xtc_notify_destroy(answered_);
}

int Execution::prepare_notify() noexcept {
    return xtc_notify_create(&answered_);
}

NRT_STATUS Execution::bind_one(const TensorSet& set, const TensorSpec& spec, const char* side,
                               Placement placement, std::vector<Bound>& into) {
    Bound bound{set.find(spec.name), {}};
    if (!bound.tensor) {
        log(LogLevel::error, "The model's %s '%s' is not in the tensor set", side, spec.name.c_str());
        return NRT_INVALID;
    }
    bound.view = bound.tensor->view();
    if (!bound.view) {
        log(LogLevel::error, "The tensor of %s '%s' has no memory", side, spec.name.c_str());
        return NRT_INVALID;
    }
    if (bound.view->size() < spec.bytes) {
        log(LogLevel::error, "The tensor of %s '%s' has %zu bytes, the model needs %llu", side,
            spec.name.c_str(), bound.view->size(), static_cast<unsigned long long>(spec.bytes));
        return NRT_INVALID;
    }
    if (placement == Placement::device && !bound.view->storage().is_on_device()) {
        log(LogLevel::error, "The tensor of %s '%s' is on the host: asynchronous calls take device tensors",
            side, spec.name.c_str());
        return NRT_INVALID;
    }
    into.push_back(std::move(bound));
    return NRT_SUCCESS;
}

NRT_STATUS Execution::bind(PinnedModel model, const TensorSet& in, const TensorSet& out,
                           Placement placement) {
    model_ = std::move(model);
    const Manifest& manifest = model_->package().manifest();
    if (in.size() != manifest.inputs.size()) {
        log(LogLevel::error, "The model has %zu inputs, the tensor set %zu", manifest.inputs.size(),
            in.size());
        return NRT_INVALID;
    }
    for (const TensorSpec& spec : manifest.inputs) {
        if (const NRT_STATUS status = bind_one(in, spec, "input", placement, in_tensors_);
            status != NRT_SUCCESS)
            return status;
        in_.push_back({in_tensors_.back().view->at(0), static_cast<size_t>(spec.bytes)});
    }
    for (const TensorSpec& spec : manifest.outputs) {
        if (const NRT_STATUS status = bind_one(out, spec, "output", placement, out_tensors_);
            status != NRT_SUCCESS)
            return status;
        out_.push_back({out_tensors_.back().view->at(0), static_cast<size_t>(spec.bytes)});
    }
    return NRT_SUCCESS;
}

void Execution::reset() noexcept {
    in_tensors_.clear();
    out_tensors_.clear();
    in_.clear();
    out_.clear();
    model_.release();
    answer_.store(Answer::open, std::memory_order_relaxed);
}

int Execution::wait_for_transfers() {
    int rc = XTC_OK;
    for (size_t i = 0; i < in_tensors_.size() && rc == XTC_OK; ++i)
        rc = in_tensors_[i].view->storage().access().wait_for_transfers_to(Access::Kind::read);
    for (size_t i = 0; i < out_tensors_.size() && rc == XTC_OK; ++i)
        rc = out_tensors_[i].view->storage().access().wait_for_transfers_to(Access::Kind::write);
    return rc;
}

void Execution::begin_access() noexcept {
    for (const Bound& in : in_tensors_)
        in.view->storage().access().begin(Access::Kind::read, Access::Source::execution);
    for (const Bound& out : out_tensors_)
        out.view->storage().access().begin(Access::Kind::write, Access::Source::execution);
}

void Execution::end_access() noexcept {
    for (const Bound& in : in_tensors_)
        in.view->storage().access().end(Access::Kind::read, Access::Source::execution);
    for (const Bound& out : out_tensors_)
        out.view->storage().access().end(Access::Kind::write, Access::Source::execution);
}

void Execution::count_outputs() noexcept {
    for (const Bound& out : out_tensors_) out.tensor->count_output();
}

NRT_STATUS Execution::wait() {
    // A signal for the caller before may have come late.
    while (answer_.load(std::memory_order_acquire) != Answer::given)
        if (const int rc = xtc_notify_wait(answered_, -1); rc != XTC_OK) return status_of(rc);
    return status_;
}

bool Execution::answer(NRT_STATUS status) noexcept {
    status_ = status;
    if (answer_.exchange(Answer::given, std::memory_order_acq_rel) == Answer::unwanted) return false;
    xtc_notify_signal(answered_);
    return true;
}

bool Execution::desert() noexcept {
    return answer_.exchange(Answer::unwanted, std::memory_order_acq_rel) != Answer::given;
}

} // namespace xtc::nrt
