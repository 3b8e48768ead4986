// SPDX-License-Identifier: ISC
//
// Which loop is near a device. Advice from static topology, never an error.
#pragma once

namespace xtc {

// The first loop on that node, or loop 0, also where there is only one node. node_of(i) is -1 where it is not
// known.
template <typename NodeOf> int nearest_loop(int device_node, int n_nodes, int n_loops, NodeOf node_of) {
    if (device_node < 0 || n_nodes < 2) return 0;
    for (int i = 0; i < n_loops; ++i)
        if (node_of(i) == device_node) return i;
    return 0;
}

} // namespace xtc
