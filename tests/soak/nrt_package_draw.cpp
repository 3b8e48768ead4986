// SPDX-License-Identifier: ISC
#include "nrt_package/gzip_of.hpp"
#include "nrt_package_draw.hpp"

#include <elf.h>

namespace fuzz {
namespace {

using test::Bytes;
using test::TarBuilder;
using test::TarEntry;
using xtc::Prng;
using xtc::Ratio;

constexpr const char* dtypes[] = {"uint64",   "int8",    "uint8",  "int16",  "uint16",
                                  "bfloat16", "float16", "int32",  "uint32", "float32",
                                  "fp32r",    "int64",   "fp8_e3", "fp8_e4", "fp8_e5"};
constexpr const char* real_dtypes[] = {"bfloat16", "float16", "float32", "fp32r"};
constexpr const char* computing_dtypes[] = {"uint64",  "int8",    "int16", "bfloat16",
                                            "float16", "float32", "int64"};

std::string number(uint64_t value) {
    return std::to_string(value);
}

std::string draw_shape(Prng& random) {
    std::string text = "[";
    const auto rank = random.between(1, 4);
    for (int64_t i = 0; i < rank; ++i) text += (i > 0 ? "," : "") + number(1 + random.below(6));
    return text + "]";
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape) {
    std::string fields[3] = {"\"name\":\"" + name + "\"", "\"dtype\":\"" + dtype + "\"",
                             "\"shape\":" + shape};
    return "{" + fields[0] + "," + fields[1] + "," + fields[2] + "}";
}

std::string manifest(const std::string& inputs, const std::string& outputs, const std::string& runner) {
    return "{\"format\":1,\"name\":\"drawn\",\"inputs\":[" + inputs + "],\"outputs\":[" + outputs + "]," +
           runner + "}";
}

std::string builtin(const std::string& op, const std::string& attrs = "") {
    return "\"runner\":\"builtin\",\"op\":\"" + op + "\"" + (attrs.empty() ? "" : ",\"attrs\":" + attrs);
}

std::string draw_matmul(Prng& random) {
    const std::string m = number(1 + random.below(5)), n = number(1 + random.below(5)),
                      k = number(1 + random.below(5));
    return manifest(tensor("a", "float32", "[" + m + "," + k + "]") + "," +
                        tensor("b", "float32", "[" + k + "," + n + "]"),
                    tensor("y", "float32", "[" + m + "," + n + "]"), builtin("matmul"));
}

std::string draw_native(Prng& random) {
    std::string inputs, outputs;
    for (uint64_t i = random.below(4); i-- > 0;)
        inputs += tensor("i" + number(i), random.pick(dtypes), draw_shape(random)) + (i > 0 ? "," : "");
    for (uint64_t i = random.below(3); i-- > 0;)
        outputs += tensor("o" + number(i), random.pick(dtypes), draw_shape(random)) + (i > 0 ? "," : "");
    return manifest(inputs, outputs, R"("runner":"native","library":"lib/m.so","entry":"run")");
}

std::string draw_unary(Prng& random) {
    const std::string shape = draw_shape(random);
    const auto unary = [&](const std::string& dtype, const std::string& runner) {
        return manifest(tensor("x", dtype, shape), tensor("y", dtype, shape), runner);
    };
    switch (random.below(7)) {
    case 0:
        return unary(random.pick(dtypes), builtin("copy"));
    case 1:
        return unary(random.pick(computing_dtypes),
                     builtin("scale", "{\"factor\":" + std::to_string(random.between(-99, 99)) + "}"));
    case 2:
        return unary(random.pick(dtypes), builtin("sleep", "{\"ns\":" + number(random.below(1000)) + "}"));
    case 3:
        return unary(random.pick(dtypes), builtin("fail", R"({"status":1004})"));
    case 4:
        return unary(random.pick(real_dtypes), builtin("nan"));
    case 5:
        return unary(random.pick(dtypes), builtin("fatal", "{}"));
    default:
        return unary(random.pick(computing_dtypes), builtin("all_reduce", R"({"reduce":"max"})"));
    }
}

std::string draw_add(Prng& random) {
    const std::string shape = draw_shape(random), dtype = random.pick(computing_dtypes);
    return manifest(tensor("x", dtype, shape) + "," + tensor("z", dtype, shape), tensor("y", dtype, shape),
                    builtin("add"));
}

bool replace(std::string& text, const std::string& what, const std::string& by) {
    const size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return at != std::string::npos;
}

// Each makes any drawn manifest one that must be refused.
constexpr const char* manifest_faults[][2] = {
    {"\"format\":1", "\"format\":2"},
    {"\"format\":1", "\"format\":1,\"format\":1"},
    {"\"format\":1", "\"format\":1,\"extra\":null"},
    {"\"format\":1,", ""},
    {"\"name\":\"drawn\"", "\"name\":\"\""},
    {"\"name\":\"drawn\"", "\"name\":7"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"dtype\":\"int8\",\"shape\":[0]},"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"dtype\":\"int8\",\"shape\":[-1]},"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"dtype\":\"int8\",\"shape\":[]},"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"dtype\":\"int9\",\"shape\":[1]},"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"dtype\":\"int64\",\"shape\":[4294967295,4294967295]},"},
    {"\"outputs\":[", "\"outputs\":[{\"name\":\"q\",\"name\":\"q\",\"dtype\":\"int8\",\"shape\":[1]},"},
    {"\"outputs\":[", "\"outputs\":[[[[[[[[[["},
    {"\"runner\":\"", "\"runner\":\"x"},
    {"\"runner\":", "\"runner\":\"native\",\"runner\":"},
    {"{", "{\"\\u0000\":1,"},
    {"{", "\xff{"},
    {"}", "}}"},
};

struct Folder {
    std::string text; // model.json
    std::vector<TarEntry> entries;
    uint64_t lie_at = UINT64_MAX; // the entry whose header claims too much
};

std::string small_elf() {
    std::string bytes(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), '\0');
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
#if defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#elif defined(__riscv)
    header.e_machine = EM_RISCV;
#else
    header.e_machine = EM_X86_64;
#endif
    header.e_type = ET_DYN;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    header.e_phoff = sizeof header;
    Elf64_Phdr segment{};
    segment.p_type = PT_DYNAMIC;
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, &segment, sizeof segment);
    return bytes;
}

Folder draw_folder(Prng& random) {
    Folder folder;
    const uint64_t kind = random.below(6);
    folder.text = kind == 0   ? draw_native(random)
                  : kind == 1 ? draw_matmul(random)
                  : kind == 2 ? draw_add(random)
                              : draw_unary(random);
    if (kind == 0) folder.entries.push_back({"lib/m.so", small_elf(), '0', ""});
    for (uint64_t i = random.below(6); i-- > 0;) {
        const std::string name = (random.coin() ? "w/" : "./") + number(i);
        folder.entries.push_back(
            {name, std::string(random.below(1500), static_cast<char>(random.next())), '0', ""});
    }
    if (random.coin()) folder.entries.push_back({"w/", "", '5', ""});
    return folder;
}

std::string plant_in_tar(Prng& random, Folder& folder) {
    const auto add = [&](const TarEntry& entry) { folder.entries.push_back(entry); };
    const std::string x = "x";
    switch (random.below(9)) {
    case 0:
        add({"./model.json", folder.text, '0', ""});
        return "model.json is doubled";
    case 1: {
        const char* const names[] = {"../up", "/root", "a/../../b", "a//b",
                                     "..",    "a\\b",  "a\tb",      "gr\xc3\xb6"};
        add({random.pick(names), x, '0', ""});
        return "a bad name";
    }
    case 2:
        add({"link", "", random.coin() ? '1' : '2', "model.json"});
        return "a link";
    case 3:
        add({"device", "", static_cast<char>('3' + random.below(2)), ""});
        return "a device";
    case 4:
        add({"fifo", "", '6', ""});
        return "a fifo";
    case 5:
        for (uint32_t i = 0; i < limit_entries; ++i) add({"many" + number(i), "", '0', ""});
        return "too many entries";
    case 6:
        add({"lie", x, '0', ""});
        folder.lie_at = folder.entries.size() - 1;
        return "a size that lies";
    case 7:
        add({"large", std::string(limit_bytes, 'l'), '0', ""});
        return "too large";
    default:
        add({"model.json/", "", '5', ""});
        return "model.json is a folder too";
    }
}

Bytes pack(Prng& random, const Folder& folder, bool has_end) {
    TarBuilder tar;
    const uint64_t place = random.below(folder.entries.size() + 1);
    for (uint64_t i = 0; i <= folder.entries.size(); ++i) {
        if (i == place) tar.file("model.json", folder.text);
        if (i == folder.entries.size()) break;
        const TarEntry& entry = folder.entries[i];
        if (i == folder.lie_at)
            tar.add_sized(entry, limit_bytes / 2 + random.below(uint64_t{1} << 32));
        else
            tar.add(entry);
    }
    return has_end ? tar.finish() : tar.unfinished();
}

// Headers that were tampered with get past their checksum.
void reseal(Bytes& bytes) {
    for (size_t at = 0; at + 512 <= bytes.size(); at += 512) {
        auto* block = reinterpret_cast<unsigned char*>(bytes.data() + at);
        if (std::memcmp(block + 257, "ustar", 5) == 0) TarBuilder::seal(block);
    }
}

void tamper(Prng& random, Bytes& bytes) {
    for (int64_t n = random.magnitude(1, 40); n-- > 0 && !bytes.empty();) {
        const size_t at = random.below(bytes.size());
        const size_t length = std::min<size_t>(bytes.size() - at, 1 + random.below(64));
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = begin + static_cast<std::ptrdiff_t>(length);
        switch (random.below(6)) {
        case 0:
            bytes[at] ^= static_cast<std::byte>(1u << random.below(8));
            break;
        case 1:
            bytes[at] = static_cast<std::byte>(random.next());
            break;
        case 2:
            std::fill(begin, end, std::byte{random.coin() ? uint8_t{0} : uint8_t{0xff}});
            break;
        case 3:
            bytes.erase(begin, end);
            break;
        case 4: {
            const Bytes piece(begin, end);
            const size_t to = random.below(bytes.size());
            bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(to), piece.begin(), piece.end());
            break;
        }
        default: // digits, where sizes and shapes are
            bytes[at] = static_cast<std::byte>('0' + random.below(10));
            break;
        }
    }
}

bool plant(Prng& random, Folder& folder, Drawn& drawn) {
    if (random.coin()) {
        drawn.story = plant_in_tar(random, folder);
        return true;
    }
    const auto& fault = manifest_faults[random.below(std::size(manifest_faults))];
    drawn.story = "model.json with " + std::string(fault[1]);
    return replace(folder.text, fault[0], fault[1]);
}

} // namespace

Drawn draw_package(Prng& random) {
    Drawn drawn;
    Folder folder = draw_folder(random);
    drawn.story = "a sound package";
    if (random.chance(Ratio{1, 3}) && plant(random, folder, drawn)) drawn.expect = Expect::refuse;
    const bool has_end = !random.chance(Ratio{1, 30});
    drawn.bytes = pack(random, folder, has_end);
    if (!has_end) {
        drawn.story += ", without an end mark";
        drawn.expect = Expect::refuse;
    }
    const bool is_tampered = random.chance(Ratio{1, 2});
    if (is_tampered && random.coin()) {
        tamper(random, drawn.bytes);
        if (random.coin()) reseal(drawn.bytes);
    }
    if (random.chance(Ratio{1, 3})) {
        drawn.bytes = test::gzip_of(drawn.bytes);
        drawn.story += ", gzip";
        if (is_tampered && random.coin()) tamper(random, drawn.bytes);
    }
    if (is_tampered) {
        drawn.story += ", tampered with";
        drawn.expect = Expect::either;
    } else if (random.chance(Ratio{1, 10})) {
        drawn.bytes.resize(random.below(drawn.bytes.size()));
        drawn.story += ", cut";
        drawn.expect = Expect::refuse;
    }
    return drawn;
}

} // namespace fuzz
