// SPDX-License-Identifier: ISC
#include "atomic.hpp"

#include "execution.hpp"

namespace xtc::model {

namespace {

// A handle: which execution it was made in, and its location plus one.
uint64_t g_life = 0;

int location_of(uint64_t handle) {
    return static_cast<int>(handle & 0xffffff) - 1;
}

Op make_op(OpKind kind, uint64_t handle, Order order, const Where& where) {
    Op op;
    op.kind = kind;
    op.order = op.failure = order;
    op.location = location_of(handle);
    op.site = {where.function_name(), where.file_name(), where.line()};
    return op;
}

} // namespace

void begin_life() {
    ++g_life;
}

bool is_explored(uint64_t handle) {
    return handle >> 24 == g_life && Execution::current() != nullptr && Execution::current()->is_user();
}

uint64_t made(const void* address, uint64_t value, uint64_t) {
    Execution* x = Execution::current();
    if (x == nullptr || !x->is_user()) return 0;
    x->set_user(false);
    const int location = x->graph().add_location(address, value, x->running());
    x->set_user(true);
    return g_life << 24 | static_cast<uint64_t>(location + 1);
}

void ended(const void*, uint64_t handle) {
    if (handle == 0 || !is_explored(handle)) return;
    Execution* x = Execution::current();
    x->set_user(false);
    if (!x->graph().location(location_of(handle)).alive) x->fail_here("an atomic is destroyed twice");
    if (!x->graph().end_location(location_of(handle), x->running()))
        x->fail_here("an atomic is destroyed that another thread may still use");
    x->set_user(true);
}

uint64_t load(const void*, uint64_t handle, std::memory_order order, const Where& where) {
    bool wrote = false;
    return Execution::current()->perform(make_op(OpKind::load, handle, order, where), &wrote);
}

void store(const void*, uint64_t handle, uint64_t value, std::memory_order order, const Where& where) {
    Op op = make_op(OpKind::store, handle, order, where);
    op.operand = value;
    bool wrote = false;
    Execution::current()->perform(op, &wrote);
}

uint64_t change(const void*, uint64_t handle, Change how, uint64_t operand, uint64_t mask,
                std::memory_order order, const Where& where) {
    constexpr OpKind kinds[] = {OpKind::exchange, OpKind::add,     OpKind::sub,
                                OpKind::bit_or,   OpKind::bit_and, OpKind::bit_xor};
    Op op = make_op(kinds[static_cast<size_t>(how)], handle, order, where);
    op.operand = operand;
    op.mask = mask;
    bool wrote = false;
    return Execution::current()->perform(op, &wrote);
}

bool compare_exchange(const void*, uint64_t handle, bool is_weak, uint64_t& expected, uint64_t desired,
                      std::memory_order success, std::memory_order failure, const Where& where) {
    Op op = make_op(is_weak ? OpKind::weak_cas : OpKind::cas, handle, success, where);
    op.failure = failure;
    op.operand = desired;
    op.expected = expected;
    bool wrote = false;
    const uint64_t seen = Execution::current()->perform(op, &wrote);
    if (!wrote) expected = seen;
    return wrote;
}

void fence(std::memory_order order, const Where& where) {
    Execution* x = Execution::current();
    if (x == nullptr || !x->is_user()) return;
    bool wrote = false;
    x->perform(make_op(OpKind::fence, 0, order, where), &wrote);
}

} // namespace xtc::model
