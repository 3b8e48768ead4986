// SPDX-License-Identifier: ISC
#include "nrt/package/model.hpp"

#include "native_file.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace xtc::nrt;

namespace {

std::unique_ptr<Model> load_native(const std::string& entry, const std::string& dtype = "float32",
                                   const std::string& shape = "[4]", const LoadOptions& options = {}) {
    std::unique_ptr<Model> model;
    const test::Bytes bytes = test::native_package(test::native_text(entry, dtype, shape));
    REQUIRE(test::load_complaint(bytes, model, options) == "");
    return model;
}

template <typename T> Status run(Model& model, const std::vector<T>& x, std::vector<T>& y) {
    const InBuffer in{x.data(), x.size() * sizeof(T)};
    const OutBuffer out{y.data(), y.size() * sizeof(T)};
    const Outcome outcome = model.run({&in, 1}, {&out, 1}, test::no_sleep);
    CHECK(!outcome.is_fatal);
    return outcome.status;
}

} // namespace

TEST_CASE("a native package computes") {
    std::vector<float> y(4);
    CHECK(run<float>(*load_native("twice"), {1, 2, -3, 0.5f}, y) == Status::success);
    CHECK(y == std::vector<float>{2, 4, -6, 1});
}

TEST_CASE("the bytes of a package may go once it is loaded") {
    std::unique_ptr<Model> model;
    {
        test::Bytes bytes = test::native_package(test::native_text("describe", "int32", "[16]"));
        REQUIRE(test::load_complaint(bytes, model) == "");
        std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
    }
    std::vector<int32_t> y(16);
    CHECK(run<int32_t>(*model, std::vector<int32_t>(16), y) == Status::success);
    CHECK(y[6] == 1);
}

TEST_CASE("an entry sees its tensors, files, rank, world and scratch memory") {
    LoadOptions options;
    options.rank = 3;
    options.world = 8;
    const auto model = load_native("describe", "int32", "[16]", options);
    std::vector<int32_t> y(16);
    CHECK(run<int32_t>(*model, std::vector<int32_t>(16), y) == Status::success);
    CHECK(y == std::vector<int32_t>{1, 1, 1, 1, 1, 64, 1, 1, 3, 8, 1, 0, 1, 1, 0, 0});
    CHECK(run<int32_t>(*model, std::vector<int32_t>(16), y) == Status::success);
    CHECK(y[11] == 1); // scratch keeps what the last call left
}

TEST_CASE("two loads of one package share nothing") {
    const auto first = load_native("count_calls", "float32", "[1]");
    const auto second = load_native("count_calls", "float32", "[1]");
    std::vector<float> y(1);
    run<float>(*first, {0}, y);
    run<float>(*first, {0}, y);
    CHECK(y[0] == 2);
    run<float>(*second, {0}, y);
    CHECK(y[0] == 1);
}

TEST_CASE("a known status passes through, any other number is 1004") {
    const auto model = load_native("return_input", "int32", "[1]");
    std::vector<int32_t> y(1);
    for (const int32_t known : {0, 1, 5, 101, 1003, 1202, 1206})
        CHECK(static_cast<int32_t>(run<int32_t>(*model, {known}, y)) == known);
    for (const int32_t unknown : {-1, 8, 12, 16, 1207, INT32_MIN, INT32_MAX})
        CHECK(static_cast<int32_t>(run<int32_t>(*model, {unknown}, y)) == 1004);
}

TEST_CASE("an entry that throws has failed, and nothing else happens") {
    const std::string manifest = test::native_text("throws", "uint8", "[1]");
    std::ifstream file(THROWING_MODEL, std::ios::binary);
    const std::string library{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::unique_ptr<Model> model;
    REQUIRE(test::load_complaint(
                test::TarBuilder().file("model.json", manifest).file("lib/model.so", library).finish(),
                model) == "");
    std::vector<uint8_t> y(1);
    CHECK(run<uint8_t>(*model, {1}, y) == Status::exec_completed_with_err);
}

TEST_CASE("native packages are refused where they are not allowed, builtin ones are not") {
    LoadOptions options;
    options.allow_native = false;
    std::unique_ptr<Model> model;
    CHECK(test::load_complaint(test::native_package(test::native_text("twice")), model, options) ==
          "the package is native, and packages that bring code are refused "
          "here (XTC_NRT_ALLOW_NATIVE=0, or --no-native)");
    CHECK(model == nullptr);
    CHECK(test::load_complaint(test::package_of(test::unary_text("copy")), model, options) == "");
}

TEST_CASE("buffers that do not fit are bad input and nothing runs") {
    const auto model = load_native("twice");
    std::vector<float> x(4, 1), y(5, -1);
    const InBuffer in{x.data(), 16};
    const OutBuffer out{y.data(), 16};
    const auto status = [&](std::span<const InBuffer> ins, std::span<const OutBuffer> outs) {
        return model->run(ins, outs, test::no_sleep).status;
    };
    const InBuffer short_in{x.data(), 12}, null_in{nullptr, 16};
    const OutBuffer long_out{y.data(), 20}, null_out{nullptr, 16};
    const InBuffer two[2] = {in, in};
    CHECK(status({}, {&out, 1}) == Status::exec_bad_input);
    CHECK(status(two, {&out, 1}) == Status::exec_bad_input);
    CHECK(status({&in, 1}, {}) == Status::exec_bad_input);
    CHECK(status({&short_in, 1}, {&out, 1}) == Status::exec_bad_input);
    CHECK(status({&null_in, 1}, {&out, 1}) == Status::exec_bad_input);
    CHECK(status({&in, 1}, {&long_out, 1}) == Status::exec_bad_input);
    CHECK(status({&in, 1}, {&null_out, 1}) == Status::exec_bad_input);
    CHECK(y == std::vector<float>(5, -1));
    CHECK(status({&in, 1}, {&out, 1}) == Status::success);
}

TEST_CASE("all_reduce is for a world of one, and a rank is inside its world") {
    std::unique_ptr<Model> model;
    LoadOptions options;
    options.world = 2;
    const test::Bytes reduce = test::package_of(test::unary_text("all_reduce"));
    CHECK(test::load_complaint(reduce, model, options) == "op 'all_reduce' is for a world of one, not of 2");
    options.rank = 2;
    CHECK(test::load_complaint(test::package_of(test::unary_text("copy")), model, options) != "");
    options = {};
    CHECK(test::load_complaint(reduce, model, options) == "");
}

TEST_CASE("light models are builtin, small, and neither wait nor multiply") {
    const auto is_light = [](const test::Bytes& bytes) {
        std::unique_ptr<Model> model;
        REQUIRE(test::load_complaint(bytes, model) == "");
        return model->is_light();
    };
    CHECK(is_light(test::package_of(test::unary_text("copy"))));
    CHECK(is_light(test::package_of(test::unary_text("copy", "", "uint8", "[65536]"))));
    CHECK(!is_light(test::package_of(test::unary_text("copy", "", "uint8", "[65537]"))));
    CHECK(!is_light(test::package_of(test::unary_text("sleep", R"({"ns":1})"))));
    CHECK(!is_light(test::native_package(test::native_text("twice"))));
}
