// SPDX-License-Identifier: ISC
//
// From a handle to the request that has it, in O(1): open addressing, sized once for the most requests there
// can be. A finished handle is not in it; nothing of it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace xtc {

struct Member;

class HandleTable {
public:
    // Room for `most` handles at once, whose size was checked (table_bytes). XTC_OK or XTC_E_NOMEM.
    int init(size_t most);

    Member* find(uint64_t handle) const;
    void insert(uint64_t handle, Member* member);  // not there yet
    void replace(uint64_t handle, Member* member); // there
    void erase(uint64_t handle);                   // there
    size_t size() const { return size_; }

    struct Entry {
        uint64_t handle = 0; // 0: empty
        Member* member = nullptr;
    };

private:
    // Handles come in sequence; this spreads neighbours far apart, so that no runs form that a lookup of a
    // stale handle would have to walk.
    size_t home(uint64_t handle) const { return static_cast<size_t>(handle * 0x9e3779b97f4a7c15u >> shift_); }
    size_t locate(uint64_t handle) const;

    std::unique_ptr<Entry[]> entries_;
    size_t mask_ = 0;
    unsigned shift_ = 0;
    size_t size_ = 0;
};

} // namespace xtc
