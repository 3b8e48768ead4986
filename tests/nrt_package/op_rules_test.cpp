// SPDX-License-Identifier: ISC
#include "nrt/package/manifest.hpp"

#include "package_text.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;
using test::manifest_text;
using test::tensor_text;
using test::unary_text;

namespace {

std::string complaint_about(const std::string& text) {
    Manifest manifest;
    return test::sentence(parse_manifest(test::bytes_of(text), manifest));
}

bool refuses(const std::string& text, const char* part) {
    const std::string said = complaint_about(text);
    INFO(text << "\n" << said);
    return said.find(part) != std::string::npos;
}

std::string op_text(const std::string& op, const std::string& inputs, const std::string& outputs) {
    std::string runner = R"("runner":"builtin","op":")" + op + "\"";
    if (op == "scale") runner += R"(,"attrs":{"factor":2})";
    if (op == "sleep") runner += R"(,"attrs":{"ns":2})";
    if (op == "fail") runner += R"(,"attrs":{"status":2})";
    return manifest_text(inputs, outputs, runner);
}

const std::string x4 = tensor_text("x", "float32", "[4]");
const std::string z4 = tensor_text("z", "float32", "[4]");
const std::string y4 = tensor_text("y", "float32", "[4]");

std::string matrix(const char* name, const char* shape, const char* dtype = "float32") {
    return tensor_text(name, dtype, shape);
}

} // namespace

TEST_CASE("operations of one input take one, of the output's type and shape") {
    for (const char* op : {"copy", "scale", "sleep", "fail", "nan", "fatal", "all_reduce"}) {
        INFO(op);
        CHECK(complaint_about(op_text(op, x4, y4)) == "");
        CHECK(refuses(op_text(op, "", y4), "takes 1 input"));
        CHECK(refuses(op_text(op, x4 + "," + z4, y4), "takes 1 input"));
        CHECK(refuses(op_text(op, x4, y4 + "," + z4), "has one output"));
        CHECK(refuses(op_text(op, x4, ""), "has one output"));
        CHECK(refuses(op_text(op, tensor_text("x", "float32", "[2,2]"), y4), "one dtype and shape"));
        CHECK(refuses(op_text(op, tensor_text("x", "int32", "[4]"), y4), "one dtype and shape"));
    }
}

TEST_CASE("add takes two inputs of the output's type and shape") {
    CHECK(complaint_about(op_text("add", x4 + "," + z4, y4)) == "");
    CHECK(refuses(op_text("add", x4, y4), "takes 2 inputs"));
    CHECK(refuses(op_text("add", x4 + "," + tensor_text("z", "float32", "[5]"), y4), "one dtype and shape"));
    CHECK(refuses(op_text("add", x4 + "," + tensor_text("z", "int32", "[4]"), y4), "one dtype and shape"));
}

TEST_CASE("matmul takes float32 [m,k] and [k,n] to [m,n]") {
    const auto with = [](const std::string& a, const std::string& b, const std::string& c) {
        return op_text("matmul", a + "," + b, c);
    };
    CHECK(complaint_about(with(matrix("a", "[2,3]"), matrix("b", "[3,4]"), matrix("c", "[2,4]"))) == "");
    CHECK(refuses(with(matrix("a", "[2,3]"), matrix("b", "[4,3]"), matrix("c", "[2,4]")), "shapes differ"));
    CHECK(refuses(with(matrix("a", "[2,3]"), matrix("b", "[3,4]"), matrix("c", "[4,2]")), "shapes differ"));
    CHECK(refuses(with(matrix("a", "[2,3]", "float16"), matrix("b", "[3,4]"), matrix("c", "[2,4]")),
                  "float32"));
    CHECK(
        refuses(with(matrix("a", "[2,3,1]"), matrix("b", "[3,4]"), matrix("c", "[2,4]")), "two dimensions"));
    CHECK(refuses(with(matrix("a", "[2147483648,1]"), matrix("b", "[1,1]"), matrix("c", "[2147483648,1]")),
                  "below 2^31"));
}

TEST_CASE("which types an operation computes with") {
    for (int i = 1; i <= 15; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        const std::string name = dtype_name(dtype);
        INFO(name);
        for (const char* op : {"copy", "fatal"}) CHECK(complaint_about(unary_text(op, "", name)) == "");
        CHECK(complaint_about(unary_text("sleep", R"({"ns":1})", name)) == "");
        CHECK(complaint_about(unary_text("fail", R"({"status":1})", name)) == "");
        const bool computes = dtype_kind(dtype) != Kind::opaque;
        CHECK((complaint_about(unary_text("scale", R"({"factor":2})", name)) == "") == computes);
        CHECK((complaint_about(unary_text("all_reduce", "", name)) == "") == computes);
        CHECK((complaint_about(unary_text("nan", "", name)) == "") == (dtype_kind(dtype) == Kind::real));
    }
}

TEST_CASE("the factor of a float tensor is one that float32 can hold") {
    CHECK(complaint_about(unary_text("scale", R"({"factor":-3.4e38})", "float16")) == "");
    CHECK(refuses(unary_text("scale", R"({"factor":3.5e38})", "bfloat16"), "float32 can hold"));
}

TEST_CASE("the factor of an integer tensor is an integer a double holds exactly") {
    for (const char* factor : {"3", "-3", "3.0", "0", "9007199254740992"})
        CHECK(complaint_about(unary_text("scale", R"({"factor":)" + std::string(factor) + "}", "int8")) ==
              "");
    for (const char* factor : {"0.5", "-1.25", "1e300", "9007199254740994"})
        CHECK(refuses(unary_text("scale", R"({"factor":)" + std::string(factor) + "}", "int8"), "integer"));
}
