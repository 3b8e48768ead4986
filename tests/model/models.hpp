// SPDX-License-Identifier: ISC
// A model as a test: it holds in every execution, and it notices when a step of the code is planted wrong.
#pragma once

#include "model/explorer.hpp"

namespace xtc::model {

using Model = std::function<void(Scene&)>;

// Explores, prints the line, CHECKs that all was explored and nothing fails.
void check_holds(const char* name, const Model& model);
// CHECKs that the fault is there to be made and that the model fails with it, for a reason that contains
// `why`.
void check_catches(const char* name, const Fault& fault, const Model& model, const char* why = "");

} // namespace xtc::model
