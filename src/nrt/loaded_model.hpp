// SPDX-License-Identifier: ISC
// What nrt_load makes: a package ready to run, on the core it runs on. A pin keeps it ready.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "nrt/package/model.hpp"
#include "nrt/ref.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class LoadedModel : public Counted<LoadedModel> {
public:
    // Empty: no memory.
    static Ref<LoadedModel> make(std::unique_ptr<Model> package, uint32_t core, uint32_t id);

    uint32_t core() const noexcept { return core_; }
    uint32_t id() const noexcept { return id_; }
    // While it is pinned.
    Model& package() const noexcept { return *package_; }

    // False: it is being unloaded.
    bool pin() noexcept {
        pins_.fetch_add(1, std::memory_order_seq_cst);
        if (!leaving_.load(std::memory_order_seq_cst)) return true;
        unpin();
        return false;
    }
    void unpin() noexcept {
        pins_.fetch_sub(1, std::memory_order_seq_cst);
        unpinned_.changed();
    }

    bool is_leaving() const noexcept { return leaving_.load(std::memory_order_seq_cst); }
    // No pin succeeds any more. True for the first who asks.
    bool leave() noexcept { return !leaving_.exchange(true, std::memory_order_seq_cst); }
    int wait_until_unpinned() {
        return unpinned_.wait([this] { return pins_.load(std::memory_order_seq_cst) == 0; });
    }
    // After it. Runs code of the package.
    void drop_package() noexcept { package_.reset(); }

private:
    friend Counted<LoadedModel>;
    LoadedModel(std::unique_ptr<Model> package, uint32_t core, uint32_t id)
        : package_(std::move(package)), core_(core), id_(id) {}
    ~LoadedModel() = default;

    std::unique_ptr<Model> package_;
    const uint32_t core_;
    const uint32_t id_;
    std::atomic<uint32_t> pins_{0};
    std::atomic<bool> leaving_{false};
    WaitList unpinned_;
};

// A pinned model, or none.
class PinnedModel {
public:
    PinnedModel() = default;
    explicit PinnedModel(Ref<LoadedModel> model) noexcept {
        if (model && model->pin()) model_ = std::move(model);
    }
    PinnedModel(const PinnedModel&) = delete;
    PinnedModel(PinnedModel&& other) noexcept = default;
    PinnedModel& operator=(PinnedModel&& other) noexcept {
        std::swap(model_, other.model_);
        return *this;
    }
    ~PinnedModel() { release(); }

    void release() noexcept {
        if (model_) model_->unpin();
        model_ = {};
    }
    explicit operator bool() const noexcept { return static_cast<bool>(model_); }
    LoadedModel& operator*() const noexcept { return *model_; }
    LoadedModel* operator->() const noexcept { return model_.get(); }

private:
    Ref<LoadedModel> model_;
};

} // namespace xtc::nrt
