// SPDX-License-Identifier: ISC
// Memory that is not atomic: every access of a model's thread, told by the compiler (memory_hooks.cpp), and
// every allocation. Two accesses of which neither happens before the other, one of them a write, are a race.
#pragma once

#include "clock.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xtc::model {

class Memory {
public:
    void clear(); // gives back what was allocated in the execution

    // Who is `thread` with its next event `number`, knowing `known`. nullptr: well; else what is wrong.
    const char* access(const void* address, size_t size, bool is_write, int thread, uint16_t number,
                       const Clock& known);
    void* allocate(size_t size, size_t alignment);
    // false: not from here. *fault: as access().
    bool release(void* p, int thread, uint16_t number, const Clock& known, const char** fault);
    size_t live_blocks() const;

private:
    static constexpr size_t grain = 4; // bytes that share a cell of the table

    struct Cell {
        uintptr_t key = 0;
        uint32_t life = 0; // of the execution that it belongs to
        bool freed = false;
        uint8_t writer = 0;
        uint16_t written_at = 0; // 0: never
        Clock reads;
    };
    struct Block {
        void* p;
        size_t size;
        bool live;
    };

    Cell& cell(uintptr_t key);
    void grow();

    std::vector<Cell> cells_ = std::vector<Cell>(1 << 12);
    size_t used_ = 0;
    uint32_t life_ = 1;
    std::vector<Block> blocks_;
};

} // namespace xtc::model
