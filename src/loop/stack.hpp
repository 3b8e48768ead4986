// SPDX-License-Identifier: ISC
// Fiber stacks: pooled slabs, a guard below each, reused warm. Memory grows with the fibers that live at
// once, not with those that ever lived.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xtc {

struct Task;
struct StackSlab;

inline constexpr size_t kMinStack = 16 * 1024;
// At least 16 KiB, and such that the distance of two stacks of the default size is an odd number of pages:
// their tops, which every switch touches, then spread over the sets of the caches.
inline constexpr size_t kGuard = 20 * 1024;

struct Stack {
    char* bottom = nullptr; // lowest usable byte; the guard lies below
    size_t size = 0;
    StackSlab* slab = nullptr;
    uint32_t index = 0;

    char* top() const { return bottom + size; }
    // Where the first frame goes: not the same distance from a page's end on every stack, for the same
    // reason.
    char* start() const { return top() - (index % 8) * 128; }
    explicit operator bool() const { return bottom != nullptr; }
};

class StackPool {
public:
    StackPool() = default;
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    // size is page-rounded. XTC_OK, XTC_E_NOMEM, or XTC_E_RESOURCE at the kernel's map limit (logged).
    int take(size_t size, Task* owner, Stack* out);
    void give(Stack& stack);

    size_t slabs() const { return slabs_.size(); }

private:
    struct FreeNode { // lives at the top of a free stack: that page has been touched anyway
        FreeNode* next;
        StackSlab* slab;
        uint32_t index;
    };
    struct SizeClass {
        size_t size;
        FreeNode* free;
        StackSlab* fresh; // slab with stacks that were never used
    };

    SizeClass* size_class(size_t size);
    int add_slab(SizeClass& cls);

    std::vector<SizeClass> classes_;
    std::vector<StackSlab*> slabs_;
};

// Async-signal-safe: whose stack (guard included) holds addr; nullptr if none.
Task* stack_owner(const void* addr);

size_t default_stack_size();
int set_default_stack_size(size_t bytes); // XTC_E_INVAL below kMinStack

} // namespace xtc
