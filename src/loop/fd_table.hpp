// SPDX-License-Identifier: ISC
// One slot for each fd number, made when first asked for. Slots do not move; all their bytes zero is a slot
// that was never used.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <type_traits>

#include <fcntl.h>

namespace xtc {

template <class Slot> class FdTable {
    static_assert(std::is_trivially_destructible_v<Slot>);
    static constexpr size_t chunk_slots = 256;

public:
    FdTable() = default;
    FdTable(const FdTable&) = delete;
    FdTable& operator=(const FdTable&) = delete;
    ~FdTable() {
        for (size_t i = 0; i < chunks_; ++i) std::free(directory_[i]);
        std::free(directory_);
    }

    // nullptr: never asked for.
    Slot* find(int fd) const {
        const size_t chunk = static_cast<size_t>(fd) / chunk_slots;
        if (fd < 0 || chunk >= chunks_ || directory_[chunk] == nullptr) return nullptr;
        return &directory_[chunk][static_cast<size_t>(fd) % chunk_slots];
    }

    // 0, -EBADF or -ENOMEM. A number far out gets no memory before the kernel says that it is open.
    int get(int fd, Slot*& out) {
        out = find(fd);
        if (out != nullptr) return 0;
        if (fd < 0 || ::fcntl(fd, F_GETFD) < 0) return -EBADF;
        const size_t chunk = static_cast<size_t>(fd) / chunk_slots;
        if (chunk >= chunks_ && !grow(chunk + 1)) return -ENOMEM;
        directory_[chunk] = static_cast<Slot*>(std::calloc(chunk_slots, sizeof(Slot)));
        out = find(fd);
        return out != nullptr ? 0 : -ENOMEM;
    }

    template <class F> void for_each(F&& visit) {
        for (size_t i = 0; i < chunks_; ++i)
            for (size_t k = 0; directory_[i] != nullptr && k < chunk_slots; ++k) visit(directory_[i][k]);
    }

private:
    bool grow(size_t wanted) {
        const size_t chunks = wanted > 2 * chunks_ ? wanted : 2 * chunks_;
        Slot** wider = static_cast<Slot**>(std::realloc(directory_, chunks * sizeof(Slot*)));
        if (wider == nullptr) return false;
        for (size_t i = chunks_; i < chunks; ++i) wider[i] = nullptr;
        directory_ = wider;
        chunks_ = chunks;
        return true;
    }

    Slot** directory_ = nullptr;
    size_t chunks_ = 0;
};

} // namespace xtc
