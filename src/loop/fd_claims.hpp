// SPDX-License-Identifier: ISC
// Which loop waits for which descriptor: one reader and one writer each (L21), any number of watchers (waits
// for a fence), and so where a close must go first.
#pragma once

#include <cstdint>

namespace xtc::fd_claims {

enum Side : uint8_t { kReads = 1, kWrites = 2, kWatches = 4 };

// False: somebody holds one of the sides; watching excludes nobody. Numbers beyond the table (a simulation's)
// are always free.
bool take(int fd, uint8_t sides, uint32_t loop_index);
void give(int fd, uint8_t sides);

// A loop other than `but` that reads, writes, or is the only one to watch fd; 0: none.
uint32_t holder(int fd, uint32_t but);
// Loops not known by number watch fd.
bool is_watched_by_several(int fd);

} // namespace xtc::fd_claims
