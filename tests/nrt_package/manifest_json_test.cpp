// SPDX-License-Identifier: ISC
#include "nrt/package/manifest.hpp"

#include "package_text.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace xtc::nrt;
using test::manifest_text;
using test::tensor_text;
using test::unary_text;

namespace {

std::string complaint_about(const std::string& text, Manifest& manifest) {
    const Complaint complaint = parse_manifest(test::bytes_of(text), manifest);
    if (complaint) CHECK(complaint->status == Status::invalid);
    return test::sentence(complaint);
}

std::string complaint_about(const std::string& text) {
    Manifest manifest;
    return complaint_about(text, manifest);
}

bool refuses(const std::string& text, const char* part) {
    const std::string said = complaint_about(text);
    INFO(text << "\n" << said);
    return said.find(part) != std::string::npos;
}

std::string with_inputs(const std::string& inputs) {
    return manifest_text(inputs, tensor_text("y", "uint8", "[1]"),
                         R"("runner":"native","library":"l.so","entry":"run")");
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

} // namespace

TEST_CASE("a manifest is read into names, types, shapes and sizes") {
    Manifest m;
    REQUIRE(complaint_about(manifest_text(tensor_text("tokens", "int32", "[256]") + "," +
                                              tensor_text("mask", "bfloat16", "[2,3,4]"),
                                          tensor_text("logits", "float32", "[8,256]"),
                                          R"("runner":"native","library":"lib/x.so","entry":"run_it2")"),
                            m) == "");
    CHECK(m.name == "m");
    REQUIRE(m.inputs.size() == 2);
    CHECK(m.inputs[0].name == "tokens");
    CHECK(m.inputs[0].dtype == Dtype::i32);
    CHECK(m.inputs[0].bytes == 1024);
    CHECK(m.inputs[1].shape == std::vector<uint32_t>{2, 3, 4});
    CHECK(m.inputs[1].bytes == 48);
    REQUIRE(m.outputs.size() == 1);
    CHECK(m.outputs[0].bytes == 8192);
    const auto& native = std::get<Native>(m.runner);
    CHECK(native.library == "lib/x.so");
    CHECK(native.entry == "run_it2");
}

TEST_CASE("attributes are read by operation") {
    Manifest m;
    CHECK(complaint_about(unary_text("scale", R"({"factor":-2.5})"), m) == "");
    CHECK(std::get<Builtin>(m.runner).factor == -2.5);
    CHECK(complaint_about(unary_text("sleep", R"({"ns":1500})"), m) == "");
    CHECK(std::get<Builtin>(m.runner).sleep_ns == 1500);
    CHECK(complaint_about(unary_text("fail", R"({"status":1005})"), m) == "");
    CHECK(std::get<Builtin>(m.runner).status == 1005);
    CHECK(complaint_about(unary_text("all_reduce", R"({"reduce":"max"})"), m) == "");
    CHECK(std::get<Builtin>(m.runner).reduce == Reduce::max);
    for (const char* op : {"copy", "nan", "fatal", "all_reduce"}) { // attrs is optional
        CHECK(complaint_about(unary_text(op), m) == "");
        CHECK(complaint_about(unary_text(op, "{}"), m) == "");
    }
}

TEST_CASE("attributes that are missing, of another operation or out of range are refused") {
    CHECK(refuses(unary_text("scale"), "no 'factor'"));
    CHECK(refuses(unary_text("scale", R"({"factor":"2"})"), "'factor' is no finite number"));
    CHECK(refuses(unary_text("scale", R"({"factor":1e999})"), "no JSON"));
    CHECK(refuses(unary_text("sleep", "{}"), "no 'ns'"));
    CHECK(refuses(unary_text("sleep", R"({"ns":-1})"), "'ns' is no integer"));
    CHECK(refuses(unary_text("sleep", R"({"ns":3600000000001})"), "'ns' is no integer"));
    CHECK(refuses(unary_text("fail"), "no 'status'"));
    for (const char* status : {"0", "8", "12", "-1", "1.5", "4294967298", "99999"})
        CHECK(refuses(unary_text("fail", R"({"status":)" + std::string(status) + "}"), "'status'"));
    CHECK(refuses(unary_text("all_reduce", R"({"reduce":"fma"})"), "unknown reduce 'fma'"));
    CHECK(refuses(unary_text("copy", R"({"factor":2})"), "unknown key 'factor'"));
    CHECK(refuses(unary_text("scale", R"({"factor":2,"ns":1})"), "unknown key 'ns'"));
    CHECK(refuses(unary_text("copy", "[]"), "'attrs' is no object"));
}

TEST_CASE("unknown keys are refused wherever they stand") {
    const std::string good = unary_text("copy");
    CHECK(refuses(replaced(good, R"("format":1)", R"("format":1,"version":2)"), "unknown key 'version'"));
    CHECK(refuses(replaced(good, R"("dtype":)", R"("layout":1,"dtype":)"), "unknown key 'layout'"));
    CHECK(refuses(replaced(good, R"("op":)", R"("entry":"run","op":)"), "unknown key 'entry'"));
    CHECK(refuses(replaced(with_inputs(""), R"("entry")", R"("attrs":{},"entry")"), "unknown key 'attrs'"));
}

TEST_CASE("a key that is there twice is refused, at any depth") {
    const std::string good = unary_text("scale", R"({"factor":2})");
    CHECK(refuses(replaced(good, R"("format":1)", R"("format":1,"format":1)"), "'format' is there twice"));
    CHECK(refuses(replaced(good, R"("factor":2)", R"("factor":2,"factor":3)"), "'factor' is there twice"));
    CHECK(refuses(replaced(good, R"("dtype":"float32")", R"("dtype":"int8","dtype":"float32")"),
                  "'dtype' is there twice"));
}

TEST_CASE("two inputs or two outputs of one name are refused, an input and an output are not") {
    const std::string x = tensor_text("x", "uint8", "[1]");
    CHECK(refuses(with_inputs(x + "," + x), "inputs[1] has the name 'x' of another"));
    CHECK(refuses(manifest_text("", x + "," + x, R"("runner":"native","library":"l","entry":"e")"),
                  "outputs[1] has the name"));
    CHECK(complaint_about(with_inputs(tensor_text("y", "uint8", "[1]"))) == "");
}

TEST_CASE("names are of 1 to 255 bytes without control characters") {
    CHECK(complaint_about(with_inputs(tensor_text(std::string(255, 'n'), "uint8", "[1]"))) == "");
    CHECK(complaint_about(with_inputs(tensor_text("gr\xc3\xb6\xc3\x9f"
                                                  "e",
                                                  "uint8", "[1]"))) == "");
    CHECK(refuses(with_inputs(tensor_text(std::string(256, 'n'), "uint8", "[1]")), "1 to 255 bytes"));
    CHECK(refuses(with_inputs(tensor_text("", "uint8", "[1]")), "1 to 255 bytes"));
    CHECK(refuses(with_inputs(tensor_text("a\\u0000b", "uint8", "[1]")), "control characters"));
    CHECK(refuses(with_inputs(tensor_text("a\\nb", "uint8", "[1]")), "control characters"));
    CHECK(refuses(with_inputs(tensor_text("\xff", "uint8", "[1]")), "no JSON"));
}

TEST_CASE("shapes are arrays of 1 to 32 positive integers") {
    for (const char* shape : {"[]", "[0]", "[-1]", "[1.0]", "[4294967296]", "[\"1\"]", "[null]", "[[1]]", "4",
                              "null", "{}", "[18446744073709551616]"})
        CHECK(refuses(with_inputs(tensor_text("x", "uint8", shape)), "inputs[0]"));
    std::string longest = "[1", too_long = "[1";
    for (int i = 1; i < 32; ++i) longest += ",1";
    for (int i = 1; i < 33; ++i) too_long += ",1";
    CHECK(complaint_about(with_inputs(tensor_text("x", "uint8", longest + "]"))) == "");
    CHECK(refuses(with_inputs(tensor_text("x", "uint8", too_long + "]")), "1 to 32"));
}

TEST_CASE("sizes multiply and add without overflow") {
    const auto uint64_of = [](const char* shape) { return tensor_text("x", "uint64", shape); };
    CHECK(complaint_about(with_inputs(uint64_of("[4294967295,134217728]"))) == "");
    CHECK(refuses(with_inputs(uint64_of("[4294967295,4294967295]")), "larger than any memory"));
    CHECK(refuses(with_inputs(uint64_of("[2147483648,1073741824]")), "larger than any memory")); // 2^64 bytes
    CHECK(refuses(with_inputs(uint64_of("[4294967295,4294967295,4294967295,4294967295]")), "larger"));
    const std::string half = tensor_text("a", "uint8", "[2147483648,2147483648]");
    const std::string other = tensor_text("b", "uint8", "[2147483648,2147483648]");
    CHECK(complaint_about(with_inputs(half)) == "");
    CHECK(refuses(with_inputs(half + "," + other), "together are larger"));
}

TEST_CASE("every type of the ABI has its name, an unknown one is refused") {
    for (int i = 1; i <= 15; ++i) {
        const char* name = dtype_name(static_cast<Dtype>(i));
        CHECK(complaint_about(with_inputs(tensor_text("x", name, "[3]"))) == "");
    }
    for (const char* name : {"FLOAT32", "float64", "", "bool", "unknown"})
        CHECK(refuses(with_inputs(tensor_text("x", name, "[3]")), "unknown dtype"));
}

TEST_CASE("what is missing or of the wrong kind is named") {
    const std::string good = unary_text("copy");
    CHECK(refuses(replaced(good, R"("format":1,)", ""), "no 'format'"));
    CHECK(refuses(replaced(good, R"("format":1)", R"("format":2)"), "'format' is no integer from 1 to 1"));
    CHECK(refuses(replaced(good, R"("format":1)", R"("format":1.0)"), "'format'"));
    CHECK(refuses(replaced(good, R"("name":"m",)", ""), "no 'name'"));
    CHECK(
        refuses(replaced(good, R"("runner":"builtin")", R"("runner":"device")"), "unknown runner 'device'"));
    CHECK(refuses(replaced(good, R"("op":"copy")", R"("op":"conv")"), "unknown op 'conv'"));
    CHECK(refuses(replaced(good, R"(,"op":"copy")", ""), "no 'op'"));
    CHECK(refuses(replaced(with_inputs(""), R"("entry":"run")", R"("entry":"a b")"), "C function"));
    CHECK(refuses(replaced(with_inputs(""), R"("entry":"run")", R"("entry":"2run")"), "C function"));
    CHECK(refuses(replaced(with_inputs(""), R"("inputs":[])", R"("inputs":{})"), "'inputs' is no array"));
}

TEST_CASE("what is no JSON is refused") {
    for (const char* text : {"", "{", "nonsense", "{}{}", "{\"format\":1,}", "// x\n{}", "\xff", "[1", "nul"})
        CHECK(refuses(text, "no JSON"));
    CHECK(refuses("[]", "the top is no object"));
    CHECK(refuses("null", "the top is no object"));
    const std::string with_nul("{\"format\":1}\0", 13);
    CHECK(refuses(with_nul, "no JSON"));
}

TEST_CASE("deep nesting and endless text are refused early") {
    CHECK(refuses(std::string(1000000, '['), "nested too deeply"));
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    CHECK(refuses(objects, "nested too deeply"));
    CHECK(refuses(std::string(max_manifest_bytes + 1, ' '), "larger than 1048576"));
}

TEST_CASE("inputs and outputs are limited to 256 each") {
    std::string many;
    for (int i = 0; i < 257; ++i) {
        if (i == 256) CHECK(complaint_about(with_inputs(many)) == "");
        if (i > 0) many += ",";
        many += tensor_text("t" + std::to_string(i), "uint8", "[1]");
    }
    CHECK(refuses(with_inputs(many), "at most 256"));
}

TEST_CASE("a sentence is printable whatever the text was") {
    for (const std::string& text : {unary_text("copy", R"({"\u001b[31m":1})"), unary_text("co\\u0007py"),
                                    std::string("{\"\x01\":1}")}) {
        const std::string said = complaint_about(text);
        CHECK(said != "");
        CHECK(std::all_of(said.begin(), said.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
    }
}
