// SPDX-License-Identifier: ISC
//
// The one file that includes nlohmann-json. Its exceptions, and ours for a refusal, end in parse_manifest.
#include "nrt/package/manifest.hpp"

#include "nrt/package/file_name.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include <nlohmann/json.hpp>

namespace xtc::nrt {
namespace {

using Json = nlohmann::json;

constexpr int max_depth = 8;

struct Refused {
    std::string sentence;
};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw Refused{"model.json: " + where + " " + what};
}

// nlohmann-json keeps the last of equal keys and says nothing.
class DuplicateKeys {
public:
    void see(int depth, Json::parse_event_t event, const Json& value) {
        if (depth > max_depth) throw Refused{"model.json: nested too deeply"};
        if (event == Json::parse_event_t::object_start) open_.emplace_back();
        if (event == Json::parse_event_t::object_end) open_.pop_back();
        if (event != Json::parse_event_t::key) return;
        const auto& key = value.get_ref<const std::string&>();
        if (!open_.back().insert(key).second)
            throw Refused{"model.json: key '" + printable(key) + "' is there twice"};
    }

private:
    std::vector<std::set<std::string>> open_;
};

Json parse_text(std::span<const std::byte> text) {
    // nlohmann-json takes it for the end.
    if (std::find(text.begin(), text.end(), std::byte{0}) != text.end())
        throw Refused{"model.json is no JSON: it has a NUL"};
    DuplicateKeys keys;
    const auto* begin = reinterpret_cast<const char*>(text.data());
    const auto watch = [&keys](int depth, Json::parse_event_t event, Json& value) {
        keys.see(depth, event, value);
        return true;
    };
    return Json::parse(begin, begin + text.size(), watch);
}

void allow_only(const Json& object, const std::string& where, std::initializer_list<const char*> known) {
    if (!object.is_object()) fail(where, "is no object");
    for (const auto& item : object.items())
        if (std::none_of(known.begin(), known.end(), [&](const char* key) { return item.key() == key; }))
            fail(where, "has an unknown key '" + printable(item.key()) + "'");
}

const Json& member(const Json& object, const std::string& where, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) fail(where, "has no '" + std::string(key) + "'");
    return *found;
}

std::string text_of(const Json& object, const std::string& where, const char* key) {
    const Json& value = member(object, where, key);
    if (!value.is_string()) fail(where, "'" + std::string(key) + "' is no string");
    return value.get<std::string>();
}

std::string name_of(const Json& object, const std::string& where, const char* key) {
    std::string name = text_of(object, where, key);
    if (name.empty() || name.size() > max_name_bytes)
        fail(where, "'" + std::string(key) + "' is not of 1 to 255 bytes");
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            fail(where, "'" + std::string(key) + "' has control characters");
    return name;
}

uint64_t integer_of(const Json& value, const std::string& where, uint64_t lowest, uint64_t highest) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() < lowest || value.get<uint64_t>() > highest)
        fail(where, "is no integer from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return value.get<uint64_t>();
}

TensorSpec tensor_of(const Json& json, const std::string& where) {
    allow_only(json, where, {"name", "dtype", "shape"});
    TensorSpec tensor;
    tensor.name = name_of(json, where, "name");
    const std::string dtype = text_of(json, where, "dtype");
    const auto known = dtype_of(dtype);
    if (!known) fail(where, "has an unknown dtype '" + printable(dtype) + "'");
    tensor.dtype = *known;
    const Json& shape = member(json, where, "shape");
    if (!shape.is_array() || shape.empty() || shape.size() > max_dimensions)
        fail(where, "'shape' is no array of 1 to " + std::to_string(max_dimensions) + " integers");
    tensor.bytes = dtype_bytes(tensor.dtype);
    for (const Json& dimension : shape) {
        tensor.shape.push_back(
            static_cast<uint32_t>(integer_of(dimension, where + ": a dimension", 1, UINT32_MAX)));
        if (__builtin_mul_overflow(tensor.bytes, tensor.shape.back(), &tensor.bytes) ||
            tensor.bytes > INT64_MAX)
            fail(where, "is larger than any memory");
    }
    return tensor;
}

std::vector<TensorSpec> tensors_of(const Json& json, const char* key, uint64_t& total) {
    const Json& array = member(json, "the top", key);
    if (!array.is_array() || array.size() > max_tensors)
        fail("'" + std::string(key) + "'", "is no array of at most " + std::to_string(max_tensors));
    std::vector<TensorSpec> tensors;
    std::set<std::string> names;
    for (const Json& element : array) {
        const std::string where = std::string(key) + "[" + std::to_string(tensors.size()) + "]";
        tensors.push_back(tensor_of(element, where));
        if (!names.insert(tensors.back().name).second)
            fail(where, "has the name '" + printable(tensors.back().name) + "' of another");
        total += tensors.back().bytes; // both are at most 2^63 - 1
        if (total > INT64_MAX) fail("the tensors together", "are larger than any memory");
    }
    return tensors;
}

Op op_of(const std::string& name) {
    for (const Op op :
         {Op::copy, Op::add, Op::scale, Op::matmul, Op::all_reduce, Op::sleep, Op::fail, Op::nan, Op::fatal})
        if (name == op_name(op)) return op;
    fail("the top", "has an unknown op '" + printable(name) + "'");
}

Reduce reduce_of(const std::string& name) {
    if (name == "add") return Reduce::add;
    if (name == "max") return Reduce::max;
    if (name == "min") return Reduce::min;
    fail("'attrs'", "has an unknown reduce '" + printable(name) + "'");
}

double factor_of(const Json& attrs) {
    const Json& value = member(attrs, "'attrs'", "factor");
    if (!value.is_number() || !std::isfinite(value.get<double>()))
        fail("'attrs'", "'factor' is no finite number");
    return value.get<double>();
}

int32_t failing_status_of(const Json& attrs) {
    const uint64_t status = integer_of(member(attrs, "'attrs'", "status"), "'attrs': 'status'", 1, INT32_MAX);
    if (status_name(static_cast<int32_t>(status)) == nullptr)
        fail("'attrs'", "'status' " + std::to_string(status) + " is no NRT_STATUS");
    return static_cast<int32_t>(status);
}

Builtin builtin_of(const Json& json) {
    allow_only(json, "the top", {"format", "name", "inputs", "outputs", "runner", "op", "attrs"});
    Builtin builtin;
    builtin.op = op_of(text_of(json, "the top", "op"));
    const auto given = json.find("attrs");
    const Json attrs = given == json.end() ? Json::object() : *given;
    const std::string where = "'attrs'";
    switch (builtin.op) {
    case Op::scale:
        allow_only(attrs, where, {"factor"});
        builtin.factor = factor_of(attrs);
        break;
    case Op::all_reduce:
        allow_only(attrs, where, {"reduce"});
        if (attrs.contains("reduce")) builtin.reduce = reduce_of(text_of(attrs, where, "reduce"));
        break;
    case Op::sleep:
        allow_only(attrs, where, {"ns"});
        builtin.sleep_ns = static_cast<int64_t>(
            integer_of(member(attrs, where, "ns"), where + ": 'ns'", 0, uint64_t{max_sleep_ns}));
        break;
    case Op::fail:
        allow_only(attrs, where, {"status"});
        builtin.status = failing_status_of(attrs);
        break;
    default:
        allow_only(attrs, where, {});
        break;
    }
    return builtin;
}

bool is_c_name(const std::string& name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    for (const char c : name)
        if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
    return is_letter(name.front());
}

Native native_of(const Json& json) {
    allow_only(json, "the top", {"format", "name", "inputs", "outputs", "runner", "library", "entry"});
    Native native{name_of(json, "the top", "library"), name_of(json, "the top", "entry")};
    if (!is_c_name(native.entry)) fail("the top", "'entry' is no name of a C function");
    return native;
}

Manifest manifest_of(const Json& json) {
    if (!json.is_object()) fail("the top", "is no object");
    integer_of(member(json, "the top", "format"), "'format'", 1, 1);
    Manifest manifest;
    manifest.name = name_of(json, "the top", "name");
    uint64_t total = 0;
    manifest.inputs = tensors_of(json, "inputs", total);
    manifest.outputs = tensors_of(json, "outputs", total);
    const std::string runner = text_of(json, "the top", "runner");
    if (runner == "builtin")
        manifest.runner = builtin_of(json);
    else if (runner == "native")
        manifest.runner = native_of(json);
    else
        fail("the top", "has an unknown runner '" + printable(runner) + "'");
    return manifest;
}

} // namespace

Complaint parse_manifest(std::span<const std::byte> text, Manifest& manifest) {
    if (text.size() > max_manifest_bytes)
        return refuse("model.json is larger than " + std::to_string(max_manifest_bytes) + " bytes");
    try {
        manifest = manifest_of(parse_text(text));
    } catch (const Refused& refused) {
        return refuse(refused.sentence);
    } catch (const Json::exception& error) {
        return refuse("model.json is no JSON: " + printable(error.what(), 300));
    }
    if (const auto* builtin = std::get_if<Builtin>(&manifest.runner)) return check_op(manifest, *builtin);
    return {};
}

} // namespace xtc::nrt
