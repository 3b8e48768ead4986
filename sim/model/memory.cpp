// SPDX-License-Identifier: ISC
#include "memory.hpp"

#include <cstdlib>

namespace xtc::model {

void Memory::clear() {
    for (const Block& b : blocks_) std::free(b.p);
    blocks_.clear();
    used_ = 0;
    ++life_;
}

Memory::Cell& Memory::cell(uintptr_t key) {
    if (used_ * 2 > cells_.size()) grow();
    const size_t mask = cells_.size() - 1;
    size_t i = key & mask; // neighbours stay neighbours
    while (cells_[i].life == life_ && cells_[i].key != key) i = (i + 1) & mask;
    Cell& c = cells_[i];
    if (c.life != life_) {
        c = {};
        c.key = key;
        c.life = life_;
        ++used_;
    }
    return c;
}

void Memory::grow() {
    std::vector<Cell> old(cells_.size() * 2);
    old.swap(cells_);
    used_ = 0;
    for (const Cell& c : old)
        if (c.life == life_) cell(c.key) = c;
}

const char* Memory::access(const void* address, size_t size, bool is_write, int thread, uint16_t number,
                           const Clock& known) {
    const auto first = reinterpret_cast<uintptr_t>(address) / grain;
    const auto last = (reinterpret_cast<uintptr_t>(address) + size - 1) / grain;
    for (uintptr_t key = first; key <= last; ++key) {
        Cell& c = cell(key);
        if (c.freed) return "use after free";
        if (c.written_at != 0 && c.writer != thread && !known.covers(c.writer, c.written_at))
            return is_write ? "data race of two writes" : "data race: a read of what another thread writes";
        if (!is_write) {
            c.reads.reach(thread, number);
            continue;
        }
        for (int t = 0; t < most_threads; ++t)
            if (t != thread && !known.covers(t, c.reads.at[static_cast<size_t>(t)]))
                return "data race: a write of what another thread reads";
        c.writer = static_cast<uint8_t>(thread);
        c.written_at = number;
    }
    return nullptr;
}

void* Memory::allocate(size_t size, size_t alignment) {
    void* p = nullptr;
    if (posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, size == 0 ? 1 : size) != 0)
        return nullptr;
    blocks_.push_back({p, size, true});
    return p;
}

bool Memory::release(void* p, int thread, uint16_t number, const Clock& known, const char** fault) {
    for (Block& b : blocks_) {
        if (b.p != p) continue;
        *fault = !b.live       ? "freed twice"
                 : b.size == 0 ? nullptr
                               : access(p, b.size, true, thread, number, known);
        b.live = false;
        for (uintptr_t key = reinterpret_cast<uintptr_t>(p) / grain;
             b.size != 0 && key <= (reinterpret_cast<uintptr_t>(p) + b.size - 1) / grain; ++key)
            cell(key).freed = true;
        return true;
    }
    return false;
}

size_t Memory::live_blocks() const {
    size_t n = 0;
    for (const Block& b : blocks_) n += b.live ? 1 : 0;
    return n;
}

} // namespace xtc::model
