// SPDX-License-Identifier: ISC
// What a thread of a model asks for: one step of the exploration.
#pragma once

#include <atomic>
#include <cstdint>

namespace xtc::model {

using Order = std::memory_order;

inline bool acquires(Order o) {
    return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst || o == Order::consume;
}
inline bool releases(Order o) {
    return o == Order::release || o == Order::acq_rel || o == Order::seq_cst;
}

enum class OpKind : uint8_t {
    load,
    store,
    exchange,
    add,
    sub,
    bit_or,
    bit_and,
    bit_xor,
    cas,      // succeeds if it reads what is expected
    weak_cas, // may fail all the same, as often as the plan allows
    fence,
    futex_wait,
    futex_wake,
    futex_timeout, // of a sleeper
};

// What a futex wait answers.
inline constexpr uint64_t futex_woken = 0, futex_changed = 1, futex_timed_out = 2;

struct Site {
    const char* function = "";
    const char* file = "";
    unsigned line = 0;
};

struct Op {
    OpKind kind = OpKind::load;
    Order order = Order::seq_cst;
    Order failure = Order::seq_cst;   // of a compare-exchange
    uint64_t compared = ~uint64_t{0}; // bits that a compare-exchange compares: all, without a planted fault
    int location = -1;
    uint64_t operand = 0;
    uint64_t expected = 0;
    uint64_t mask = ~uint64_t{0}; // the bits that the location has
    Site site;

    bool expects(uint64_t value) const { return ((value ^ expected) & compared) == 0; }
};

inline bool is_cas(OpKind k) {
    return k == OpKind::cas || k == OpKind::weak_cas;
}
inline bool is_futex(OpKind k) {
    return k == OpKind::futex_wait || k == OpKind::futex_wake || k == OpKind::futex_timeout;
}
inline bool reads_memory(OpKind k) {
    return k != OpKind::store && k != OpKind::fence;
}

// What a read-modify-write leaves behind.
inline uint64_t result_of(const Op& op, uint64_t old) {
    switch (op.kind) {
    case OpKind::add:
        return (old + op.operand) & op.mask;
    case OpKind::sub:
        return (old - op.operand) & op.mask;
    case OpKind::bit_or:
        return old | op.operand;
    case OpKind::bit_and:
        return old & op.operand;
    case OpKind::bit_xor:
        return old ^ op.operand;
    default:
        return op.operand;
    }
}

} // namespace xtc::model
