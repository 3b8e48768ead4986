// SPDX-License-Identifier: ISC
#include "nrt/package/archive.hpp"

#include "package_text.hpp"
#include "gzip_of.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;
using test::Bytes;
using test::TarBuilder;
using test::TarEntry;

namespace {

struct Read {
    FileSet files;
    std::string complaint;

    std::string contents(const char* name) const {
        const PackageFile* file = files.find(name);
        if (file == nullptr) return "(not there)";
        return {reinterpret_cast<const char*>(file->contents.data()), file->contents.size()};
    }
    bool says(const char* part) const { return complaint.find(part) != std::string::npos; }
};

Read read(const Bytes& bytes, const ArchiveLimits& limits = {}) {
    Read result;
    // Of exactly that size, so that the address sanitizer sees a byte too far.
    const std::unique_ptr<std::byte[]> exact(new std::byte[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    const Complaint complaint = read_archive({exact.get(), bytes.size()}, limits, result.files);
    if (complaint) CHECK(complaint->status == Status::invalid);
    result.complaint = test::sentence(complaint);
    return result;
}

Read read_one(const TarEntry& entry) {
    return read(TarBuilder().add(entry).finish());
}

} // namespace

TEST_CASE("a tar gives its files by name, plain or gzip") {
    const Bytes tar = TarBuilder()
                          .file("model.json", "{}")
                          .add({"weights/", "", '5', ""})
                          .file("weights/a.bin", std::string(70000, 'w'))
                          .file("empty", "")
                          .finish();
    for (const Bytes& bytes : {tar, test::gzip_of(tar)}) {
        const Read result = read(bytes);
        CHECK(result.complaint == "");
        CHECK(result.files.all().size() == 3);
        CHECK(result.contents("model.json") == "{}");
        CHECK(result.contents("weights/a.bin") == std::string(70000, 'w'));
        CHECK(result.contents("empty") == "");
        CHECK(result.files.find("weights") == nullptr);
    }
}

TEST_CASE("contents lie at a multiple of 64") {
    const Read result = read(TarBuilder().file("a", "1").file("b", "22").finish());
    for (const PackageFile& file : result.files.all())
        CHECK(reinterpret_cast<uintptr_t>(file.contents.data()) % 64 == 0);
}

TEST_CASE("what tar makes of a folder given as . is read") {
    const Bytes tar = TarBuilder().add({"./", "", '5', ""}).file("./model.json", "{}").finish();
    const Read result = read(tar);
    CHECK(result.complaint == "");
    CHECK(result.contents("model.json") == "{}");
}

TEST_CASE("names that lead out of the package are refused") {
    for (const char* name : {"../up", "a/../../up", "/etc/passwd", "a/..", "..", "./../up"}) {
        INFO(name);
        CHECK(read_one({name, "x", '0', ""}).complaint != "");
    }
}

TEST_CASE("names that are doubled, also after ./ is taken away, are refused") {
    CHECK(read(TarBuilder().file("a", "1").file("a", "2").finish()).says("'a' is there twice"));
    CHECK(read(TarBuilder().file("a", "1").file("./a", "1").finish()).says("'a' is there twice"));
    CHECK(read(TarBuilder().add({"a/", "", '5', ""}).file("a", "1").finish()).says("twice"));
    CHECK(read(TarBuilder().file("a", "1").add({"a/", "", '5', ""}).finish()).says("twice"));
    const Bytes two_folders = TarBuilder().add({"a/", "", '5', ""}).add({"a/", "", '5', ""}).finish();
    CHECK(read(two_folders).complaint == "");
}

TEST_CASE("links and devices are refused and named") {
    CHECK(read_one({"l", "", '1', "model.json"}).says("'l' is a hard link"));
    CHECK(read_one({"l", "", '2', "/etc/passwd"}).says("'l' is a symbolic link"));
    CHECK(read_one({"d", "", '3', ""}).says("'d' is a device"));
    CHECK(read_one({"d", "", '4', ""}).says("'d' is a device"));
    CHECK(read_one({"f", "", '6', ""}).says("'f' is a fifo"));
}

TEST_CASE("a package cut anywhere is refused") {
    const Bytes tar = TarBuilder().file("model.json", "{}").file("weights", std::string(900, '\0')).finish();
    for (const Bytes& whole : {tar, test::gzip_of(tar)}) {
        CHECK(read(whole).complaint == "");
        for (size_t size = 0; size < whole.size(); ++size) {
            INFO(size << " of " << whole.size());
            CHECK(read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))).complaint !=
                  "");
        }
    }
}

// libarchive takes a tar that ends where a header should begin for a whole one.
TEST_CASE("a tar without its end mark is refused even when its last file is all zeros") {
    const TarBuilder tar = TarBuilder().file("model.json", "{}").file("weights", std::string(4096, '\0'));
    CHECK(read(tar.unfinished()).says("end mark"));
}

TEST_CASE("what stands behind the end is refused, padding is not") {
    Bytes padded = TarBuilder().file("a", "1").finish();
    padded.resize(10240);
    CHECK(read(padded).complaint == "");
    padded[9000] = std::byte{1};
    CHECK(read(padded).says("behind its end"));
    Bytes twice = TarBuilder().file("a", "1").finish();
    const Bytes second = TarBuilder().file("b", "2").finish();
    twice.insert(twice.end(), second.begin(), second.end());
    CHECK(read(twice).says("behind its end"));
}

TEST_CASE("a header that claims more than there is allocates nothing for it") {
    const Bytes lie = TarBuilder().add_sized({"big", "x", '0', ""}, uint64_t{3} << 30).finish();
    CHECK(read(lie).says("cut short inside 'big'"));
    const Bytes beyond = TarBuilder().add_sized({"big", "x", '0', ""}, uint64_t{7} << 30).finish();
    CHECK(read(beyond).says("more than 4294967296 bytes"));
}

TEST_CASE("the unpacked size is limited before it is in memory") {
    const ArchiveLimits limits{.bytes = 4096, .entries = 10};
    const Bytes fits = TarBuilder().file("a", std::string(2560, 'x')).finish();
    CHECK(fits.size() == 4096);
    CHECK(read(fits, limits).complaint == "");
    CHECK(read(test::gzip_of(fits), limits).complaint == "");
    const Bytes large = TarBuilder().file("a", std::string(2561, 'x')).finish();
    CHECK(read(large, limits).says("more than 4096 bytes"));
    CHECK(read(test::gzip_of(large), limits).says("more than 4096 bytes"));
}

// Its end, which a reader meets only when all is unpacked, is wrong; it must not get there.
TEST_CASE("a gzip file that unpacks to too much is left at the limit") {
    Bytes bomb = test::gzip_of(Bytes(8 << 20));
    bomb.back() ^= std::byte{1};
    CHECK(read(bomb, {.bytes = 1 << 20, .entries = 10}).says("more than 1048576 bytes"));
    CHECK(read(bomb, {.bytes = 16 << 20, .entries = 10}).says("differs from what its end says"));
}

TEST_CASE("the number of entries is limited, folders included") {
    TarBuilder tar;
    for (int i = 0; i < 5; ++i) tar.add({"d" + std::to_string(i), "", '5', ""});
    CHECK(read(tar.finish(), {.bytes = 1 << 20, .entries = 5}).complaint == "");
    CHECK(read(tar.finish(), {.bytes = 1 << 20, .entries = 4}).says("more than 4 entries"));
}

TEST_CASE("a gzip file whose contents differ from what its end says is refused") {
    Bytes gzip = test::gzip_of(TarBuilder().file("weights", std::string(100, 'w')).finish());
    gzip[10 + 5 + 512 + 20] ^= std::byte{1}; // a bit of the weights: deflate does not notice
    CHECK(read(gzip).says("differs from what its end says"));
}

TEST_CASE("two gzip files in a row are refused") {
    const Bytes tar = TarBuilder().file("a", "1").finish();
    Bytes both = test::gzip_of(std::span(tar).first(512));
    const Bytes second = test::gzip_of(std::span(tar).subspan(512));
    both.insert(both.end(), second.begin(), second.end());
    CHECK(read(both).says("more than one gzip file"));
}

TEST_CASE("what is no tar is refused") {
    CHECK(read({}).says("empty"));
    CHECK(read(Bytes(100, std::byte{'x'})).says("no tar"));
    CHECK(read(Bytes(5000, std::byte{'x'})).says("no tar"));
    CHECK(read(test::gzip_of(Bytes(5000, std::byte{'x'}))).says("no tar"));
    Bytes odd = test::gzip_of(TarBuilder().file("a", "1").finish());
    odd[3] = std::byte{0xe0}; // flags no gzip has
    CHECK(read(odd).says("gzip"));
}

TEST_CASE("what is written is read back, and the same files give the same bytes") {
    std::vector<PackageFile> made;
    for (const auto& [name, size] : std::vector<std::pair<std::string, size_t>>{
             {"model.json", 2}, {"lib/" + std::string(200, 'n'), 70000}, {"empty", 0}}) {
        made.push_back({name, Blob(size)});
        std::fill_n(made.back().contents.data(), size, std::byte{'w'});
    }
    const std::vector<const PackageFile*> files{&made[0], &made[1], &made[2]};
    for (const bool gzip : {false, true}) {
        Bytes first, second;
        REQUIRE(!write_archive(files, gzip, first));
        REQUIRE(!write_archive(files, gzip, second));
        CHECK(first == second);
        CHECK(is_gzip(first) == gzip);
        const Read result = read(first);
        CHECK(result.complaint == "");
        CHECK(result.files.all().size() == 3);
        CHECK(result.contents(made[1].name.c_str()) == std::string(70000, 'w'));
    }
}
