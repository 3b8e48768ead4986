// SPDX-License-Identifier: ISC
//
// Why a package is not taken: the code nrt_load returns and a sentence for the log.
#pragma once

#include "nrt/package/status.hpp"

#include <optional>
#include <string>
#include <utility>

namespace xtc::nrt {

struct Refusal {
    Status status;
    std::string sentence;
};

// Empty: nothing to complain about.
using Complaint = std::optional<Refusal>;

inline Complaint refuse(std::string sentence) {
    return Refusal{Status::invalid, std::move(sentence)};
}

} // namespace xtc::nrt
