// SPDX-License-Identifier: ISC
#include "nrt/storage.hpp"

#include <array>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include "nrt/environment.hpp"

namespace xtc::nrt {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMapFrom = size_t{1} << 20;

constinit std::array<std::atomic<uint64_t>, kMostCores> device_bytes{};

std::atomic<uint64_t>& bytes_of(int32_t core) {
    return device_bytes.at(static_cast<size_t>(core));
}

} // namespace

bool Storage::take(size_t size) {
    size_ = size;
    if (size >= kMapFrom) {
        void* const got =
            ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) return false;
        base_ = static_cast<std::byte*>(got);
        origin_ = Origin::mapping;
        return true;
    }
    void* got = nullptr;
    if (::posix_memalign(&got, kAlignment, size) != 0) return false;
    base_ = static_cast<std::byte*>(got);
    origin_ = Origin::heap;
    return true;
}

Ref<Storage> Storage::allocate(size_t size, int32_t core) {
    auto storage = Ref<Storage>::adopt(new (std::nothrow) Storage);
    if (!storage || !storage->take(size)) return {};
    storage->core_ = core;
    if (core != kHost) bytes_of(core).fetch_add(size, std::memory_order_relaxed);
    return storage;
}

Ref<Storage> Storage::borrow(void* buffer, size_t size) {
    auto storage = Ref<Storage>::adopt(new (std::nothrow) Storage);
    if (!storage) return {};
    storage->base_ = static_cast<std::byte*>(buffer);
    storage->size_ = size;
    return storage;
}

Storage::~Storage() {
    if (core_ != kHost) bytes_of(core_).fetch_sub(size_, std::memory_order_relaxed);
    if (origin_ == Origin::mapping) ::munmap(base_, size_);
    if (origin_ == Origin::heap) std::free(base_);
}

uint64_t Storage::bytes_on(int32_t core) noexcept {
    return bytes_of(core).load(std::memory_order_relaxed);
}

Ref<View> View::whole(Ref<Storage> storage) {
    const size_t size = storage->size();
    return Ref<View>::adopt(new (std::nothrow) View(std::move(storage), 0, size));
}

Ref<View> View::part(const View& of, size_t offset, size_t size) {
    return Ref<View>::adopt(new (std::nothrow) View(of.storage_, of.offset_ + offset, size));
}

} // namespace xtc::nrt
