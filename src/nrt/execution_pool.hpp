// SPDX-License-Identifier: ISC
// Executions between their uses: their arrays and wake-ups are made once.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "nrt/execution.hpp"

namespace xtc::nrt {

class ExecutionPool {
public:
    // nullptr: no memory. Any thread.
    Execution* take() noexcept;
    void give_back(Execution& execution) noexcept; // resets it

private:
    std::mutex lock_;
    Execution* free_ = nullptr;
    std::vector<std::unique_ptr<Execution>> all_;
};

} // namespace xtc::nrt
