// SPDX-License-Identifier: ISC
#include "nrt/package/native_library.hpp"

#include "native_file.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

using namespace xtc::nrt;

namespace {

float calls_of(const NativeLibrary& library) {
    float calls = 0;
    const nrt_xtc_model_out_t out{"y", &calls, sizeof calls};
    nrt_xtc_model_call_t call{};
    call.out = &out;
    call.n_out = 1;
    CHECK(library.entry()(&call) == 0);
    return calls;
}

NativeLibrary open_counter(const char* path = NATIVE_MODELS) {
    NativeLibrary library;
    REQUIRE(!NativeLibrary::open(test::native_library(path), "count_calls", library));
    return library;
}

size_t open_descriptors() {
    const std::filesystem::directory_iterator begin("/proc/self/fd"), end;
    return static_cast<size_t>(std::distance(begin, end));
}

} // namespace

TEST_CASE("each load is a library of its own, with its own variables") {
    const NativeLibrary first = open_counter();
    const NativeLibrary second = open_counter();
    CHECK(first.entry() != second.entry());
    CHECK(calls_of(first) == 1);
    CHECK(calls_of(first) == 2);
    CHECK(calls_of(second) == 1);
}

// The descriptor's number comes round; the dynamic linker would take its path for the library it knew by it.
TEST_CASE("a load after an unload begins anew") {
    for (const char* path : {NATIVE_MODELS, STICKY_MODELS})
        for (int round = 0; round < 20; ++round) CHECK(calls_of(open_counter(path)) == 1);
}

TEST_CASE("an unloaded library leaves no descriptor behind") {
    { const NativeLibrary warm_up = open_counter(); }
    const size_t before = open_descriptors();
    {
        NativeLibrary library = open_counter();
        NativeLibrary moved = std::move(library);
        library = open_counter();
        moved = std::move(library);
        CHECK(calls_of(moved) == 1);
        CHECK(open_descriptors() == before + 1);
    }
    NativeLibrary refused;
    CHECK(NativeLibrary::open(test::native_library(), "no_such_entry", refused));
    CHECK(open_descriptors() == before);
}

TEST_CASE("a missing entry and a library that does not load are refused with the reason") {
    NativeLibrary library;
    CHECK(test::sentence(NativeLibrary::open(test::native_library(), "no_such_entry", library)) ==
          "the library of the package has no function 'no_such_entry'");
    const Complaint no_elf = NativeLibrary::open(test::Bytes(4096), "entry", library);
    REQUIRE(no_elf);
    CHECK(no_elf->status == Status::invalid);
    CHECK(no_elf->sentence.find("cannot be loaded") != std::string::npos);
}
