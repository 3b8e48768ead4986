// SPDX-License-Identifier: ISC
// Counted references, and a place for one that any thread may read while another replaces it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/assert.hpp"

namespace xtc::nrt {

// Starts with the one reference that adopt() takes over.
template <class T> class Counted {
public:
    void retain(uint64_t n = 1) noexcept { count_.fetch_add(n, std::memory_order_relaxed); }
    void release(uint64_t n = 1) noexcept {
        const uint64_t before = count_.fetch_sub(n, std::memory_order_acq_rel);
        XTC_ASSERT(before >= n);
        if (before == n) delete static_cast<T*>(this);
    }

protected:
    Counted() = default;
    ~Counted() = default;
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::atomic<uint64_t> count_{1};
};

template <class T> class Ref {
public:
    Ref() = default;
    Ref(const Ref& other) noexcept : object_(other.object_) {
        if (object_ != nullptr) object_->retain();
    }
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_ != nullptr) object_->release();
    }

    static Ref adopt(T* object) noexcept {
        Ref ref;
        ref.object_ = object;
        return ref;
    }
    static Ref share(T* object) noexcept {
        if (object != nullptr) object->retain();
        return adopt(object);
    }
    T* give() noexcept { return std::exchange(object_, nullptr); }

    T* get() const noexcept { return object_; }
    T* operator->() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

// load() never waits and takes no lock: a reader first counts itself in the unused top bits of the pointer,
// which tells replace() how many readers have the old object in hand without a reference yet. It leaves them
// that many; a reader that finds itself no longer counted in the word gives one back. The slot holds so many
// references that the count can not reach zero between the two.
template <class T> class SharedSlot {
public:
    explicit SharedSlot(Ref<T> initial) noexcept : word_(put(std::move(initial))) {}
    ~SharedSlot() {
        if (T* last = object(word_.load(std::memory_order_acquire))) last->release(kSlotShare);
    }
    SharedSlot(const SharedSlot&) = delete;
    SharedSlot& operator=(const SharedSlot&) = delete;

    Ref<T> load() const noexcept {
        uint64_t seen = word_.fetch_add(kReader, std::memory_order_acquire) + kReader;
        T* const held = object(seen);
        Ref<T> ref = Ref<T>::share(held);
        for (;;) {
            if (object(seen) != held || readers(seen) == 0) {
                if (held != nullptr) held->release();
                break;
            }
            if (word_.compare_exchange_weak(seen, seen - kReader, std::memory_order_release,
                                            std::memory_order_acquire))
                break;
        }
        return ref;
    }

    void replace(Ref<T> next) noexcept {
        const uint64_t before = word_.exchange(put(std::move(next)), std::memory_order_acq_rel);
        if (T* old = object(before)) old->release(kSlotShare - readers(before));
    }

private:
    static constexpr int kPointerBits = 48;
    static constexpr uint64_t kReader = uint64_t{1} << kPointerBits;
    static constexpr uint64_t kSlotShare = uint64_t{1} << 32;

    static uint64_t put(Ref<T> ref) noexcept {
        T* const given = ref.give();
        if (given != nullptr) given->retain(kSlotShare - 1);
        const auto value = reinterpret_cast<uint64_t>(given);
        XTC_ASSERT(value < kReader);
        return value;
    }
    static T* object(uint64_t word) noexcept { return reinterpret_cast<T*>(word & (kReader - 1)); }
    static uint64_t readers(uint64_t word) noexcept { return word >> kPointerBits; }

    mutable std::atomic<uint64_t> word_;
};

} // namespace xtc::nrt
