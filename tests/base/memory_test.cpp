// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

TEST_CASE("memory: a size of zero gives a pointer of its own", "[base][memory]") {
    void* a = xtc_malloc(0);
    void* b = xtc_malloc(0);
    void* c = xtc_calloc(0, 8);
    CHECK(a != nullptr);
    CHECK(b != nullptr);
    CHECK(c != nullptr);
    CHECK(a != b);
    a = xtc_realloc(a, 0);
    CHECK(a != nullptr);
    xtc_free(a);
    xtc_free(b);
    xtc_free(c);
    xtc_free(nullptr);
}

TEST_CASE("memory: calloc clears and refuses a product that overflows", "[base][memory]") {
    auto* bytes = static_cast<unsigned char*>(xtc_calloc(16, 4));
    REQUIRE(bytes != nullptr);
    CHECK(std::all_of(bytes, bytes + 64, [](unsigned char byte) { return byte == 0; }));
    xtc_free(bytes);
    const volatile size_t huge = SIZE_MAX / 2; // volatile: the compiler would refuse the constant
    CHECK(xtc_calloc(huge, 3) == nullptr);
}

TEST_CASE("memory: realloc keeps what fits and takes NULL as malloc", "[base][memory]") {
    auto* text = static_cast<char*>(xtc_realloc(nullptr, 8));
    REQUIRE(text != nullptr);
    std::strcpy(text, "seven77");
    text = static_cast<char*>(xtc_realloc(text, 4096));
    REQUIRE(text != nullptr);
    CHECK(std::strcmp(text, "seven77") == 0);
    xtc_free(text);
}

TEST_CASE("memory: aligned blocks are aligned, and only powers of two are", "[base][memory]") {
    const size_t align = GENERATE(1u, 2u, 8u, 64u, 4096u, 1u << 20);
    void* block = xtc_aligned_alloc(align, 10);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(block) % align == 0);
    xtc_aligned_free(block);
    CHECK(xtc_aligned_alloc(align + 2 + (align == 2), 10) == nullptr);
    CHECK(xtc_aligned_alloc(0, 10) == nullptr);
    xtc_aligned_free(nullptr);
}
