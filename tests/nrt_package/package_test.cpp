// SPDX-License-Identifier: ISC
#include "nrt/package/package.hpp"

#include "native_file.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

namespace {

std::string complaint_about(const test::Bytes& bytes) {
    Package package;
    return test::sentence(open_package(bytes, {}, package));
}

} // namespace

TEST_CASE("a package is a tar with a model.json, and what it names is there") {
    Package package;
    REQUIRE(!open_package(test::native_package(test::native_text("twice")), {}, package));
    CHECK(package.manifest.name == "m");
    CHECK(package.files.all().size() == 3);
    CHECK(complaint_about(test::TarBuilder().file("a", "1").finish()) == "the package has no model.json");
    CHECK(complaint_about(test::package_of(test::native_text("twice"))) ==
          "the package has no library 'lib/model.so'");
}

TEST_CASE("a library that is none is refused before anybody loads it") {
    const test::Bytes bytes = test::TarBuilder()
                                  .file("model.json", test::native_text("twice"))
                                  .file("lib/model.so", "#!/bin/sh\n")
                                  .finish();
    CHECK(complaint_about(bytes) == "library 'lib/model.so' is no ELF file");
}

TEST_CASE("a refused package leaves what was there before") {
    Package package;
    package.manifest.name = "before";
    CHECK(open_package(test::package_of("{}"), {}, package));
    CHECK(package.manifest.name == "before");
}
