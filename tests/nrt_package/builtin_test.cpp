// SPDX-License-Identifier: ISC
#include "nrt/package/builtin.hpp"

#include "package_text.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace xtc::nrt;
using test::unary_text;

namespace {

struct Slept {
    int64_t total = 0;
    Sleeper sleeper() {
        return {[](void* self, int64_t ns) { static_cast<Slept*>(self)->total += ns; }, this};
    }
};

struct Run {
    Outcome outcome;
    std::vector<float> y;
};

// Runs a package of float32 tensors.
Run run(const std::string& manifest, std::vector<std::vector<float>> inputs, size_t n_out,
        const Sleeper& sleeper = test::no_sleep) {
    std::unique_ptr<Model> model;
    REQUIRE(test::load_complaint(test::package_of(manifest), model) == "");
    Run result{{}, std::vector<float>(n_out, -77)};
    std::vector<InBuffer> in;
    for (const std::vector<float>& input : inputs) in.push_back({input.data(), input.size() * sizeof(float)});
    const OutBuffer out{result.y.data(), n_out * sizeof(float)};
    result.outcome = model->run(in, {&out, 1}, sleeper);
    return result;
}

const std::vector<float> four{1, -2, 3.5f, 0};

} // namespace

TEST_CASE("copy, scale, add and all_reduce compute") {
    CHECK(run(unary_text("copy"), {four}, 4).y == four);
    CHECK(run(unary_text("all_reduce"), {four}, 4).y == four);
    CHECK(run(unary_text("scale", R"({"factor":2})"), {four}, 4).y == std::vector<float>{2, -4, 7, 0});
    const std::string add = test::manifest_text(
        test::tensor_text("a", "float32", "[4]") + "," + test::tensor_text("b", "float32", "[4]"),
        test::tensor_text("y", "float32", "[4]"), R"("runner":"builtin","op":"add")");
    const Run added = run(add, {four, {10, 20, 30, 40}}, 4);
    CHECK(added.outcome.status == Status::success);
    CHECK(!added.outcome.is_fatal);
    CHECK(added.y == std::vector<float>{11, 18, 33.5f, 40});
}

TEST_CASE("matmul multiplies, and refuses an output that is an input or no floats at all") {
    const std::string text = test::manifest_text(
        test::tensor_text("a", "float32", "[2,2]") + "," + test::tensor_text("b", "float32", "[2,2]"),
        test::tensor_text("y", "float32", "[2,2]"), R"("runner":"builtin","op":"matmul")");
    CHECK(run(text, {{1, 2, 3, 4}, {5, 6, 7, 8}}, 4).y == std::vector<float>{19, 22, 43, 50});

    std::unique_ptr<Model> model;
    REQUIRE(test::load_complaint(test::package_of(text), model) == "");
    std::vector<float> memory(12, 1);
    const InBuffer in[2] = {{memory.data(), 16}, {memory.data() + 4, 16}};
    const OutBuffer over{memory.data() + 7, 16};
    CHECK(model->run(in, {&over, 1}, test::no_sleep).status == Status::exec_bad_input);
    const OutBuffer odd{reinterpret_cast<std::byte*>(memory.data() + 8) - 1, 16};
    CHECK(model->run(in, {&odd, 1}, test::no_sleep).status == Status::exec_bad_input);
    CHECK(memory == std::vector<float>(12, 1));
}

TEST_CASE("sleep waits on the clock it is given, then copies") {
    Slept slept;
    const Run result = run(unary_text("sleep", R"({"ns":123456})"), {four}, 4, slept.sleeper());
    CHECK(result.outcome.status == Status::success);
    CHECK(result.y == four);
    CHECK(slept.total == 123456);
}

TEST_CASE("fail ends with its status and leaves the output alone") {
    const Run result = run(unary_text("fail", R"({"status":1006})"), {four}, 4);
    CHECK(static_cast<int>(result.outcome.status) == 1006);
    CHECK(!result.outcome.is_fatal);
    CHECK(result.y == std::vector<float>(4, -77));
}

TEST_CASE("nan fills the output with NaN and ends 1003") {
    const Run result = run(unary_text("nan"), {four}, 4);
    CHECK(static_cast<int>(result.outcome.status) == 1003);
    for (const float value : result.y) CHECK(std::isnan(value));
}

TEST_CASE("fatal ends 1202 and says that the unit is lost") {
    const Run result = run(unary_text("fatal"), {four}, 4);
    CHECK(static_cast<int>(result.outcome.status) == 1202);
    CHECK(result.outcome.is_fatal);
}
