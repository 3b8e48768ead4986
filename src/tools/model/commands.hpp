// SPDX-License-Identifier: ISC
#pragma once

#include "nrt/package/blob.hpp"
#include "nrt/package/refusal.hpp"
#include "tools/model/command_line.hpp"

#include <string>
#include <vector>

namespace xtc::model_tool {

// Each takes the words behind its name and returns the exit code, or throws Trouble.
int pack(std::vector<std::string> words);
int list(std::vector<std::string> words);
int check(std::vector<std::string> words);
int run(std::vector<std::string> words);

// "NRT_INVALID: the package has no model.json"
std::string text_of(const nrt::Refusal& refusal);

} // namespace xtc::model_tool
