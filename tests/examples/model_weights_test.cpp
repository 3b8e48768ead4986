// SPDX-License-Identifier: ISC
#include "model_fixture.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

using namespace model_test;

namespace {

constexpr size_t header_bytes = 72, entry_bytes = 56;

template <class T> void put(std::vector<unsigned char>& file, size_t offset, T value) {
    REQUIRE(offset + sizeof value <= file.size());
    std::memcpy(file.data() + offset, &value, sizeof value);
}

void seal(std::vector<unsigned char>& file) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = header_bytes; i + 8 <= file.size(); i += 8) {
        uint64_t word;
        std::memcpy(&word, file.data() + i, 8);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    put(file, 56, uint64_t(file.size()));
    put(file, 64, hash);
}

// The sentence with which the bytes are refused, or "accepted".
std::string verdict(const std::vector<unsigned char>& file, size_t size) {
    // Exactly as long as the file, so that a sanitizer sees a read behind its end.
    const std::vector<unsigned char> exact(file.begin(), file.begin() + ptrdiff_t(size));
    model_t* model = nullptr;
    char why[160] = "";
    const unsigned char nothing = 0;
    const void* bytes = exact.empty() ? &nothing : exact.data();
    const model_status_t status = model_open_memory(bytes, size, nullptr, &model, why, sizeof why);
    CHECK((status == MODEL_OK) == (model != nullptr));
    model_close(model);
    if (status == MODEL_OK) return "accepted";
    CHECK(status == MODEL_BAD_WEIGHTS);
    return why;
}

std::string verdict(const std::vector<unsigned char>& file) {
    return verdict(file, file.size());
}

template <class T> std::string with(size_t offset, T value) {
    std::vector<unsigned char> file = read_weights();
    put(file, offset, value);
    seal(file);
    return verdict(file);
}

} // namespace

TEST_CASE("the weights in the repository load and are small enough to live there") {
    const auto file = read_weights();
    CHECK(verdict(file) == "accepted");
    CHECK(file.size() < 8'000'000);
    Model model;
    model_info_t info;
    model_get_info(model.get(), &info);
    CHECK(info.parameters <= 1'900'000);
    CHECK(info.parameters * 4 < file.size());
}

TEST_CASE("weights cut short anywhere are refused") {
    const auto file = read_weights();
    for (const size_t size : {size_t(0), size_t(1), size_t(71), size_t(72), size_t(128), size_t(1024),
                              size_t(1601), file.size() / 2, file.size() - 64, file.size() - 1})
        CHECK(verdict(file, size) != "accepted");
    // Also where the header agrees with the shorter file.
    for (const size_t size : {size_t(128), size_t(1024), size_t(64 * 1000), file.size() - 64}) {
        auto shorter = file;
        shorter.resize(size);
        seal(shorter);
        INFO(size);
        CHECK((verdict(shorter) == "the tensor table is cut off" ||
               verdict(shorter).find("lies outside the file") != std::string::npos));
    }
}

TEST_CASE("weights with a header of another kind are refused with a sentence") {
    CHECK(with(0, 'X') == "this is no weights file");
    CHECK(with(7, 'X') == "this is no weights file");
    CHECK(with(8, 2u) == "the version is not 1");
    CHECK(with(12, 26u) == "the number of tensors does not fit the layers");
    CHECK(with(16, 512u) == "the vocabulary is not the 256 bytes");
    auto damaged = read_weights();
    damaged[damaged.size() / 2] ^= 1;
    CHECK(verdict(damaged) == "the checksum is wrong");
    auto longer = read_weights();
    longer.resize(longer.size() + 64);
    CHECK(verdict(longer) == "the file does not have the size its header says");
}

TEST_CASE("weights that claim huge or impossible shapes are refused before anything is sized by them") {
    const uint32_t huge = std::numeric_limits<uint32_t>::max();
    for (const uint32_t value : {0u, huge, 0x80000000u, 0x10000u + 1}) {
        INFO(value);
        CHECK(with(20, value) == "context is outside 1 to 65536");
        CHECK(with(24, value) == "width is outside 2 to 4096");
        CHECK(with(28, value) == "layers is outside 1 to 64");
        CHECK(with(40, value) == "hidden is outside 1 to 16384");
    }
    for (const uint32_t value : {0u, huge, 5u, 192u, 64u}) {
        INFO(value);
        CHECK(with(32, value) == "heads do not divide the width into even parts");
    }
    for (const uint32_t value : {0u, huge, 2u, 4u})
        CHECK(with(36, value) == "shared heads do not divide the heads");
    CHECK(with(24, 96u).find("another shape") != std::string::npos);
    CHECK(with(40, 1000u).find("another shape") != std::string::npos);
    CHECK(with(44, std::numeric_limits<float>::quiet_NaN()) == "the rope base is no number from 1 up");
    CHECK(with(48, -1.0f) == "the norm epsilon is no number from 0 up");
}

TEST_CASE("weights with a wrong tensor table are refused") {
    const size_t name = header_bytes, rows = name + 32, columns = name + 36, offset = name + 48;
    CHECK(with(name, 'X') == "tensor embedding is missing");
    CHECK(with(rows, 255u) == "tensor embedding has another shape");
    CHECK(with(columns, 0xffffffffu) == "tensor embedding has another shape");
    const std::string outside = "tensor embedding lies outside the file";
    const uint64_t size = read_weights().size();
    for (const uint64_t bad :
         {uint64_t(0), uint64_t(64), size, size - 64, uint64_t(1) << 63, ~uint64_t(0) - 63})
        CHECK(with(offset, bad) == outside);
    CHECK(with(offset, uint64_t(4096 + 4)) == outside);
    // One name twice leaves another without its tensor.
    auto twice = read_weights();
    std::memcpy(twice.data() + header_bytes + entry_bytes, twice.data() + header_bytes, entry_bytes);
    seal(twice);
    CHECK(verdict(twice) == "tensor layer0.attention_norm is missing");
}

TEST_CASE("weights that hold no numbers are refused") {
    auto file = read_weights();
    put(file, file.size() - 64, std::numeric_limits<float>::infinity());
    seal(file);
    CHECK(verdict(file) == "tensor readout holds something that is no number");
}

TEST_CASE("a missing file and impossible options are refused") {
    model_t* model = nullptr;
    char why[160] = "";
    CHECK(model_open("/nonexistent/weights.bin", nullptr, &model, why, sizeof why) == MODEL_IO);
    CHECK(std::string(why) == "cannot read /nonexistent/weights.bin");
    CHECK(model_open("/", nullptr, &model, nullptr, 0) == MODEL_IO);
    CHECK(model_open(nullptr, nullptr, &model, why, sizeof why) == MODEL_INVALID);
    CHECK(model_open_memory(nullptr, 64, nullptr, &model, why, sizeof why) == MODEL_INVALID);
    CHECK(model_open(MODEL_WEIGHTS, nullptr, nullptr, why, sizeof why) == MODEL_INVALID);

    const auto refused = [&](model_options_t options) {
        return model_open(MODEL_WEIGHTS, &options, &model, why, sizeof why);
    };
    CHECK(refused({.max_context = 1 << 20}) == MODEL_INVALID);
    CHECK(std::string(why) == "max_context is above what the weights were trained for");
    CHECK(refused({.max_sequences = 0xffffffffu}) == MODEL_INVALID);
    CHECK(refused({.max_step_tokens = 0xffffffffu}) == MODEL_INVALID);
    CHECK(model == nullptr);
}
