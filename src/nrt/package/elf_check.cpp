// SPDX-License-Identifier: ISC
#include "nrt/package/elf_check.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include <elf.h>

namespace xtc::nrt {
namespace {

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned own_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned own_machine = EM_RISCV;
#else
#error "which e_machine do shared objects have here?"
#endif
constexpr unsigned own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

bool is_inside(uint64_t offset, uint64_t size, uint64_t whole) noexcept {
    return offset <= whole && size <= whole - offset;
}

const char* segment_fault(const Elf64_Phdr& segment, uint64_t whole) noexcept {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) return nullptr;
    if (!is_inside(segment.p_offset, segment.p_filesz, whole)) return "is cut short";
    if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz) return "has a damaged header";
    return nullptr;
}

} // namespace

const char* elf_fault(std::span<const std::byte> bytes) noexcept {
    Elf64_Ehdr header;
    if (bytes.size() < sizeof(header)) return "is no ELF file";
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "is no ELF file";
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != own_order ||
        header.e_machine != own_machine)
        return "is for another machine";
    if (header.e_type != ET_DYN) return "is no shared object";
    const uint64_t table = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) return "has a damaged header";
    if (!is_inside(header.e_phoff, table, bytes.size())) return "is cut short";
    bool is_dynamic = false;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
        if (const char* fault = segment_fault(segment, bytes.size())) return fault;
        is_dynamic = is_dynamic || segment.p_type == PT_DYNAMIC;
    }
    return is_dynamic ? nullptr : "is no shared object";
}

} // namespace xtc::nrt
