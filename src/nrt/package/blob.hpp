// SPDX-License-Identifier: ISC
//
// Bytes of a fixed number, at a multiple of 64, so that a model can use a file of weights where it lies.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace xtc::nrt {

class Blob {
public:
    static constexpr size_t alignment = 64;

    Blob() = default;
    // Not initialised. Throws std::bad_alloc.
    explicit Blob(size_t size)
        : bytes_(static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment}))), size_(size) {}

    std::byte* data() noexcept { return bytes_.get(); }
    const std::byte* data() const noexcept { return bytes_.get(); }
    size_t size() const noexcept { return size_; }
    std::span<const std::byte> bytes() const noexcept { return {bytes_.get(), size_}; }
    void clear() noexcept {
        if (size_ != 0) std::memset(bytes_.get(), 0, size_);
    }

private:
    struct Free {
        void operator()(std::byte* bytes) const noexcept {
            ::operator delete (bytes, std::align_val_t{alignment});
        }
    };
    std::unique_ptr<std::byte[], Free> bytes_;
    size_t size_ = 0;
};

} // namespace xtc::nrt
