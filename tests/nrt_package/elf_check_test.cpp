// SPDX-License-Identifier: ISC
#include "nrt/package/elf_check.hpp"

#include "native_file.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <string>

#include <elf.h>

using namespace xtc::nrt;

namespace {

std::string fault(const test::Bytes& bytes) {
    const char* said = elf_fault(bytes);
    return said != nullptr ? said : "";
}

template <typename Change> test::Bytes changed(Change change) {
    test::Bytes bytes = test::native_library();
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

} // namespace

TEST_CASE("a shared object of this machine passes") {
    CHECK(fault(test::native_library()) == "");
}

TEST_CASE("what the dynamic linker would stumble over is named") {
    CHECK(fault({}) == "is no ELF file");
    CHECK(fault(test::Bytes(1000, std::byte{'x'})) == "is no ELF file");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_machine = EM_SPARC; })) == "is for another machine");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })) ==
          "is for another machine");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_type = ET_EXEC; })) == "is no shared object");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_phentsize = 1; })) == "has a damaged header");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_phnum = 0; })) == "has a damaged header");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_phoff = UINT64_MAX - 8; })) == "is cut short");
    CHECK(fault(changed([](Elf64_Ehdr& h) { h.e_phnum = UINT16_MAX; })) == "is cut short");
}

// Mapped and touched, the missing pages of a file are SIGBUS.
TEST_CASE("a shared object cut inside what is mapped is refused") {
    test::Bytes bytes = test::native_library();
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    size_t end = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
    }
    REQUIRE(end > 0);
    bytes.resize(end);
    CHECK(fault(bytes) == "");
    bytes.resize(end - 1);
    CHECK(fault(bytes) == "is cut short");
}
