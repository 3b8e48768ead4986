// SPDX-License-Identifier: ISC
// Stands in for std::atomic in what is explored (src/base/atomic.hpp): every operation is a step of the
// exploration. Outside one, and for objects that were made outside, it is a plain variable.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

namespace xtc {
namespace model {

using Where = std::source_location;

// In stand_in.cpp. `location`: the number from made(), 0 if there was none.
uint64_t made(const void* address, uint64_t value, uint64_t mask);
void ended(const void* address, uint64_t handle);
bool is_explored(uint64_t handle);
uint64_t load(const void* address, uint64_t handle, std::memory_order order, const Where& where);
void store(const void* address, uint64_t handle, uint64_t value, std::memory_order order, const Where& where);
enum class Change : uint8_t { exchange, add, sub, bit_or, bit_and, bit_xor };
uint64_t change(const void* address, uint64_t handle, Change how, uint64_t operand, uint64_t mask,
                std::memory_order order, const Where& where);
bool compare_exchange(const void* address, uint64_t handle, bool is_weak, uint64_t& expected,
                      uint64_t desired, std::memory_order success, std::memory_order failure,
                      const Where& where);
void fence(std::memory_order order, const Where& where = Where::current());

constexpr std::memory_order failure_of(std::memory_order success) {
    return success == std::memory_order_acq_rel   ? std::memory_order_acquire
           : success == std::memory_order_release ? std::memory_order_relaxed
                                                  : success;
}

} // namespace model

// Its own members are nobody's race: one call of the compiler's for each object is enough (model::made).
#define XTC_MODEL_UNSEEN __attribute__((no_sanitize("thread")))

template <typename T> class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    using Order = std::memory_order;
    using Where = model::Where;
    static constexpr Order sc = std::memory_order_seq_cst;

public:
    constexpr atomic() noexcept : atomic(T{}) {}
    constexpr atomic(T value) noexcept : value_(value) {
        if (!std::is_constant_evaluated()) handle_ = model::made(this, pack(value), mask);
    }
    constexpr ~atomic() {
        if (!std::is_constant_evaluated()) model::ended(this, handle_);
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    XTC_MODEL_UNSEEN T load(Order order = sc, Where where = Where::current()) const {
        return is_explored() ? unpack(model::load(this, handle_, order, where)) : value_;
    }
    operator T() const { return load(); }
    XTC_MODEL_UNSEEN void store(T value, Order order = sc, Where where = Where::current()) {
        if (is_explored())
            model::store(this, handle_, pack(value), order, where);
        else
            value_ = value;
    }
    T operator=(T value) {
        store(value);
        return value;
    }
    XTC_MODEL_UNSEEN T exchange(T value, Order order = sc, Where where = Where::current()) {
        return change(model::Change::exchange, value, order, where);
    }
    XTC_MODEL_UNSEEN T fetch_add(T n, Order order = sc, Where where = Where::current()) {
        return change(model::Change::add, n, order, where);
    }
    XTC_MODEL_UNSEEN T fetch_sub(T n, Order order = sc, Where where = Where::current()) {
        return change(model::Change::sub, n, order, where);
    }
    XTC_MODEL_UNSEEN T fetch_or(T n, Order order = sc, Where where = Where::current()) {
        return change(model::Change::bit_or, n, order, where);
    }
    XTC_MODEL_UNSEEN T fetch_and(T n, Order order = sc, Where where = Where::current()) {
        return change(model::Change::bit_and, n, order, where);
    }
    XTC_MODEL_UNSEEN T fetch_xor(T n, Order order = sc, Where where = Where::current()) {
        return change(model::Change::bit_xor, n, order, where);
    }
    XTC_MODEL_UNSEEN bool compare_exchange_strong(T& expected, T desired, Order success, Order failure,
                                                  Where where = Where::current()) {
        return compare_exchange(false, expected, desired, success, failure, where);
    }
    XTC_MODEL_UNSEEN bool compare_exchange_strong(T& expected, T desired, Order order = sc,
                                                  Where where = Where::current()) {
        return compare_exchange(false, expected, desired, order, model::failure_of(order), where);
    }
    XTC_MODEL_UNSEEN bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                                                Where where = Where::current()) {
        return compare_exchange(true, expected, desired, success, failure, where);
    }
    XTC_MODEL_UNSEEN bool compare_exchange_weak(T& expected, T desired, Order order = sc,
                                                Where where = Where::current()) {
        return compare_exchange(true, expected, desired, order, model::failure_of(order), where);
    }

private:
    static constexpr uint64_t mask = ~uint64_t{0} >> (64 - sizeof(T) * 8);

    XTC_MODEL_UNSEEN static uint64_t pack(T value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        return bits;
    }
    XTC_MODEL_UNSEEN static T unpack(uint64_t bits) {
        T value;
        std::memcpy(&value, &bits, sizeof(T));
        return value;
    }
    XTC_MODEL_UNSEEN bool is_explored() const { return handle_ != 0 && model::is_explored(handle_); }
    XTC_MODEL_UNSEEN T change(model::Change how, T operand, Order order, const Where& where) {
        if (is_explored())
            return unpack(model::change(this, handle_, how, pack(operand), mask, order, where));
        const T before = value_;
        value_ = unpack(plain_change(how, pack(before), pack(operand)));
        return before;
    }
    static uint64_t plain_change(model::Change how, uint64_t a, uint64_t b) {
        switch (how) {
        case model::Change::add:
            return (a + b) & mask;
        case model::Change::sub:
            return (a - b) & mask;
        case model::Change::bit_or:
            return a | b;
        case model::Change::bit_and:
            return a & b;
        case model::Change::bit_xor:
            return a ^ b;
        default:
            return b;
        }
    }
    XTC_MODEL_UNSEEN bool compare_exchange(bool is_weak, T& expected, T desired, Order success, Order failure,
                                           const Where& where) {
        uint64_t wanted = pack(expected);
        if (is_explored()) {
            if (model::compare_exchange(this, handle_, is_weak, wanted, pack(desired), success, failure,
                                        where))
                return true;
            expected = unpack(wanted);
            return false;
        }
        if (pack(value_) == wanted) {
            value_ = desired;
            return true;
        }
        expected = value_;
        return false;
    }

    T value_; // first: a futex is found by the object's address
    uint64_t handle_ = 0;
};

#undef XTC_MODEL_UNSEEN

} // namespace xtc
