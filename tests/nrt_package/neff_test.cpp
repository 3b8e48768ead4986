// SPDX-License-Identifier: ISC
#include "nrt/package/package.hpp"

#include "nrt/package/neff.hpp"
#include "package_text.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

namespace {

test::Bytes neff(uint64_t package_version, uint64_t header_bytes = 1024, size_t total = 3000) {
    test::Bytes bytes(total);
    const uint64_t fields[5] = {package_version, header_bytes, total - std::min<size_t>(total, 1024), 2, 7};
    std::memcpy(bytes.data(), fields, std::min(total, sizeof fields));
    return bytes;
}

Status status_of(const test::Bytes& bytes) {
    Package package;
    const Complaint complaint = open_package(bytes, {}, package);
    return complaint ? complaint->status : Status::success;
}

} // namespace

TEST_CASE("a NEFF is recognised by its header and refused as an unsupported version") {
    for (const uint64_t version : {1, 2}) {
        Package package;
        const Complaint complaint = open_package(neff(version), {}, package);
        REQUIRE(complaint);
        CHECK(complaint->status == Status::unsupported_neff_version);
        CHECK(complaint->sentence.find("this is a NEFF (package version " + std::to_string(version) +
                                       ", compiler format 2.7)") == 0);
    }
    CHECK(status_of(neff(1, 1024, 1024)) == Status::unsupported_neff_version);
}

TEST_CASE("what only resembles a NEFF is an invalid package") {
    CHECK(status_of(neff(0)) == Status::invalid);
    CHECK(status_of(neff(3)) == Status::invalid);
    CHECK(status_of(neff(1, 1023)) == Status::invalid);
    CHECK(status_of(neff(1, 1024, 1023)) == Status::invalid);
    CHECK(status_of(neff(1, 1024, 8)) == Status::invalid);
    CHECK(status_of({}) == Status::invalid);
}
