// SPDX-License-Identifier: ISC
#include "nrt/worst_status.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

TEST_CASE("The worst status wins, from either side", "[nrt][status]") {
    const NRT_STATUS ascending[] = {NRT_SUCCESS, NRT_EXEC_UNIT_UNRECOVERABLE, NRT_TIMEOUT,
                                    NRT_EXEC_HW_ERR_NC_UE};
    for (const NRT_STATUS a : ascending)
        for (const NRT_STATUS b : ascending) CHECK(worse(a, b) == (severity_of(a) >= severity_of(b) ? a : b));
    CHECK(worse(NRT_SUCCESS, NRT_FAILURE) == NRT_FAILURE);
    CHECK(worse(NRT_EXEC_COMPLETED_WITH_NUM_ERR, NRT_EXEC_COMPLETED_WITH_ERR) == NRT_EXEC_COMPLETED_WITH_ERR);
    CHECK(worse(NRT_EXEC_HW_ERR_COLLECTIVES, NRT_EXEC_OOB) == NRT_EXEC_OOB);
    CHECK(worse(NRT_NETWORK_PROXY_FAILURE, NRT_EXEC_NC_BUSY) == NRT_EXEC_NC_BUSY);
}

TEST_CASE("Of equally bad ones the first stays", "[nrt][status]") {
    CHECK(worse(NRT_INVALID, NRT_FAILURE) == NRT_INVALID);
    CHECK(worse(NRT_FAILURE, NRT_INVALID) == NRT_FAILURE);
    CHECK(worse(NRT_EXEC_OOB, NRT_EXEC_HW_ERR_NC_UE) == NRT_EXEC_OOB);
}
