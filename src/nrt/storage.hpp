// SPDX-License-Identifier: ISC
// The memory behind tensors: the device's, the host's, or a buffer of the client's. Views are what tensors
// and requests hold: a range of a storage, never changed once made.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nrt/access.hpp"
#include "nrt/ref.hpp"

namespace xtc::nrt {

class Storage : public Counted<Storage> {
public:
    static constexpr int32_t kHost = -1;

    // Empty when there is no memory. `core`: whose device memory it is, or kHost. Large ones get their pages
    // when they are touched.
    static Ref<Storage> allocate(size_t size, int32_t core);
    static Ref<Storage> borrow(void* buffer, size_t size);

    std::byte* base() const noexcept { return base_; }
    size_t size() const noexcept { return size_; }
    bool is_on_device() const noexcept { return core_ != kHost; }
    int32_t core() const noexcept { return core_; }
    Access& access() noexcept { return access_; }

    // Bytes of all storages of that core.
    static uint64_t bytes_on(int32_t core) noexcept;

private:
    friend Counted<Storage>;
    enum class Origin { heap, mapping, borrowed };
    Storage() = default;
    ~Storage();
    bool take(size_t size);

    std::byte* base_ = nullptr;
    size_t size_ = 0;
    int32_t core_ = kHost;
    Origin origin_ = Origin::borrowed;
    Access access_;
};

class View : public Counted<View> {
public:
    static Ref<View> whole(Ref<Storage> storage);
    // The caller has asked holds(offset, size).
    static Ref<View> part(const View& of, size_t offset, size_t size);

    size_t size() const noexcept { return size_; }
    size_t offset() const noexcept { return offset_; }
    Storage& storage() const noexcept { return *storage_; }
    std::byte* at(size_t offset) const noexcept { return storage_->base() + offset_ + offset; }
    bool holds(uint64_t offset, uint64_t size) const noexcept {
        return offset <= size_ && size <= size_ - offset;
    }

private:
    friend Counted<View>;
    View(Ref<Storage> storage, size_t offset, size_t size)
        : storage_(std::move(storage)), offset_(offset), size_(size) {}
    ~View() = default;

    const Ref<Storage> storage_;
    const size_t offset_;
    const size_t size_;
};

} // namespace xtc::nrt
