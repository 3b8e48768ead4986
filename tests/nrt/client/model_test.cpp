// SPDX-License-Identifier: ISC
#include "nrt/client/native_package.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <utility>

using namespace client;

namespace {

NRT_STATUS load(const std::string& package, int vnc = 0, int vnc_count = 1) {
    nrt_model_t* model = nullptr;
    const NRT_STATUS status = nrt_load(package.data(), package.size(), vnc, vnc_count, &model);
    if (status != NRT_SUCCESS) CHECK(model == nullptr);
    return status;
}

uint32_t core_of(nrt_model_t* model) {
    nrt_model_info_t info{};
    size_t written = 0;
    CHECK(nrt_get_model_info(model, &info, sizeof info, &written) == NRT_SUCCESS);
    CHECK(written == sizeof info);
    return info.vnc;
}

size_t count_of(const std::string& word, const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

} // namespace

TEST_CASE("A loaded model says what its inputs and outputs are", "[nrt][model]") {
    const Runtime runtime;
    const Model model(package_of(manifest_text(
        tensor_text("left", "float32", "[2,3]") + "," + tensor_text("right", "float32", "[3,5]"),
        tensor_text("product", "float32", "[2,5]"), R"("runner":"builtin","op":"matmul")")));
    nrt_tensor_info_array_t* info = nullptr;
    REQUIRE(nrt_get_model_tensor_info(model, &info) == NRT_SUCCESS);
    REQUIRE(info->tensor_count == 3);
    const nrt_tensor_info_t* const tensors = info->tensor_array;
    CHECK(std::string(tensors[0].name) == "left");
    CHECK(std::string(tensors[1].name) == "right");
    CHECK(std::string(tensors[2].name) == "product");
    CHECK(tensors[1].usage == NRT_TENSOR_USAGE_INPUT);
    CHECK(tensors[2].usage == NRT_TENSOR_USAGE_OUTPUT);
    CHECK(tensors[2].size == 2 * 5 * 4);
    CHECK(tensors[2].dtype == NRT_DTYPE_FLOAT32);
    REQUIRE(tensors[1].ndim == 2);
    CHECK(tensors[1].shape[0] == 3);
    CHECK(tensors[1].shape[1] == 5);
    CHECK(nrt_free_model_tensor_info(info) == NRT_SUCCESS);
    CHECK(nrt_free_model_tensor_info(nullptr) == NRT_SUCCESS);
}

TEST_CASE("What was told of a model outlives it, and goes to where it can go", "[nrt][model]") {
    const Runtime runtime;
    Model model(builtin("copy"));
    nrt_tensor_info_array_t* info = nullptr;
    CHECK(nrt_get_model_tensor_info(model, nullptr) == NRT_INVALID);
    CHECK(nrt_get_model_tensor_info(nullptr, &info) == NRT_INVALID);
    nrt_model_info_t about{77};
    size_t written = 77;
    CHECK(nrt_get_model_info(model, &about, 0, &written) == NRT_INVALID);
    CHECK(nrt_get_model_info(model, nullptr, sizeof about, &written) == NRT_INVALID);
    CHECK(nrt_get_model_instance_count(model, nullptr) == NRT_INVALID);
    CHECK(about.vnc == 77);
    CHECK(written == 77);
    CHECK(nrt_get_model_info(model, &about, sizeof about + 100, nullptr) == NRT_SUCCESS);
    CHECK(about.vnc == 0);
    REQUIRE(nrt_get_model_tensor_info(model, &info) == NRT_SUCCESS);
    CHECK(nrt_unload(std::exchange(model.handle, nullptr)) == NRT_SUCCESS);
    CHECK(std::string(info->tensor_array[1].name) == "y"); // as clients write it: no compiler may warn
    CHECK(info->tensor_array[1].shape[0] == 4);
    CHECK(nrt_free_model_tensor_info(info) == NRT_SUCCESS);
}

TEST_CASE("A model is one instance on one core", "[nrt][model]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "3");
    const Runtime runtime;
    const Model model(builtin("copy"), 2);
    uint32_t count = 0;
    CHECK(nrt_get_model_instance_count(model, &count) == NRT_SUCCESS);
    CHECK(count == 1);
    CHECK(nrt_get_model_nc_count(model, &count) == NRT_SUCCESS);
    CHECK(count == 1);
    CHECK(nrt_get_model_vnc_count(model, &count) == NRT_SUCCESS);
    CHECK(count == 1);
    CHECK(core_of(model) == 2);
}

TEST_CASE("For core -1 the runtime takes the core with the fewest models", "[nrt][model]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "3");
    const Runtime runtime;
    const Model on_0(builtin("copy"), 0);
    const Model on_1(builtin("copy"), 1);
    const Model chosen(builtin("copy"), -1);
    CHECK(core_of(chosen) == 2);
    const Model again(builtin("copy"), -1);
    CHECK(core_of(again) == 0);
}

TEST_CASE("A package that can not be loaded is refused, and says which way", "[nrt][model]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    const Runtime runtime;
    const std::string good = builtin("copy");
    CHECK(load("this is no package") == NRT_INVALID);
    CHECK(load(good.substr(0, good.size() / 3)) == NRT_INVALID);
    CHECK(load(builtin("no_such_op")) == NRT_INVALID);
    CHECK(load(good, 2) == NRT_INVALID);
    CHECK(load(good, -2) == NRT_INVALID);
    CHECK(load(good, 0, 2) == NRT_INVALID);
    CHECK(load(good, 0, 3) == NRT_LOAD_NOT_ENOUGH_NC);
    CHECK(load(good, 0, -1) == NRT_SUCCESS);
    nrt_model_t* model = nullptr;
    CHECK(nrt_load(nullptr, 5, 0, 1, &model) == NRT_INVALID);
    CHECK(nrt_load(good.data(), good.size(), 0, 1, nullptr) == NRT_INVALID);
    CHECK(nrt_load(good.data(), 0, 0, 1, &model) == NRT_INVALID);
}

TEST_CASE("A NEFF is recognised and refused as a version that is not supported", "[nrt][model]") {
    const Runtime runtime;
    std::string neff(2048, '\0');
    const std::array<uint64_t, 5> head{2, 1024, 1024, 2, 0};
    std::memcpy(neff.data(), head.data(), sizeof head);
    std::memcpy(neff.data() + 1024, "\x1f\x8b\x08", 3);
    CHECK(load(neff) == NRT_UNSUPPORTED_NEFF_VERSION);
}

TEST_CASE("A world of one is all that load_collectives takes", "[nrt][model]") {
    const Runtime runtime;
    const std::string package = builtin("all_reduce", R"({"reduce":"add"})");
    nrt_model_t* model = nullptr;
    const auto load_as = [&](uint32_t id, uint32_t count) {
        return nrt_load_collectives(package.data(), package.size(), 0, -1, id, count, &model);
    };
    CHECK(load_as(0, 2) == NRT_INVALID);
    CHECK(load_as(1, 1) == NRT_INVALID);
    CHECK(load_as(0, 0) == NRT_INVALID);
    CHECK(model == nullptr);
    REQUIRE(load_as(0, 1) == NRT_SUCCESS);
    CHECK(Unary().run_on(model, "sixteen bytes!!!") == "sixteen bytes!!!");
    CHECK(nrt_unload(model) == NRT_SUCCESS);
}

// C takes a model for a set, which is a pointer to void, without a warning.
TEST_CASE("A model in the place of a set or a tensor is refused", "[nrt][model]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    CHECK(nrt_execute(model, model.handle, tensors.out) == NRT_INVALID);
    CHECK(nrt_execute(model, tensors.in, model.handle) == NRT_INVALID);
    CHECK(nrt_add_tensor_to_tensor_set(model.handle, "x", tensors.x) == NRT_INVALID);
    auto* tensor = reinterpret_cast<nrt_tensor_t*>(model.handle);
    char byte = '-';
    CHECK(nrt_tensor_read(tensor, &byte, 0, 1) == NRT_INVALID);
    CHECK(byte == '-');
    CHECK(nrt_tensor_get_size(tensor) == 0);
    nrt_tensor_free(&tensor);
    CHECK(tensor == nullptr);
    CHECK(tensors.run(model) == NRT_SUCCESS);
}

TEST_CASE("A handle that names no model is recognised", "[nrt][model]") {
    nrt_model_t* old = nullptr;
    {
        const Runtime runtime;
        Model model(builtin("copy"));
        old = model;
        CHECK(nrt_unload(model) == NRT_SUCCESS);
        CHECK(nrt_unload(model) == NRT_INVALID_HANDLE);
        const Model next(builtin("copy")); // in its place, under another handle
        CHECK(nrt_unload(old) == NRT_INVALID_HANDLE);
        CHECK(Unary().run(old) == NRT_INVALID_HANDLE);
        const Tensor tensor(16);
        CHECK(nrt_unload(reinterpret_cast<nrt_model_t*>(tensor.handle)) == NRT_INVALID_HANDLE);
        uint32_t count = 7;
        CHECK(nrt_get_model_vnc_count(old, &count) == NRT_INVALID_HANDLE);
        CHECK(count == 7);
        CHECK(nrt_unload(nullptr) == NRT_INVALID);
        model.handle = nullptr;
    }
    const Runtime runtime;
    CHECK(nrt_unload(old) == NRT_INVALID_HANDLE);
}

TEST_CASE("Each load of a native package has variables of its own", "[nrt][model]") {
    const Runtime runtime;
    const Model first(native("count_calls"));
    const Model second(native("count_calls"));
    const Unary tensors;
    CHECK(tensors.run_on(first, std::string(16, '\0')) == tensors.run_on(second, std::string(16, '\0')));
    CHECK(tensors.run_on(first, std::string(16, '\0')) == tensors.run_on(second, std::string(16, '\0')));
}

TEST_CASE("Close unloads the code of what is loaded, unload that of one", "[nrt][model]") {
    const auto mapped = [] { return count_of("memfd:xtc-model", contents_of("/proc/self/maps")); };
    const size_t before = mapped();
    {
        const Runtime runtime;
        const std::string package = native("count_calls");
        nrt_model_t* models[2] = {};
        for (nrt_model_t*& model : models)
            REQUIRE(nrt_load(package.data(), package.size(), 0, 1, &model) == NRT_SUCCESS);
        const size_t two = mapped();
        CHECK(nrt_unload(models[0]) == NRT_SUCCESS);
        CHECK(mapped() < two);
        CHECK(mapped() > before);
    }
    CHECK(mapped() == before);
}

TEST_CASE("XTC_NRT_ALLOW_NATIVE=0 refuses packages that bring code", "[nrt][model]") {
    const Variable refuse("XTC_NRT_ALLOW_NATIVE", "0");
    const Runtime runtime;
    CHECK(load(native("count_calls")) == NRT_INVALID);
    CHECK(load(builtin("copy")) == NRT_SUCCESS);
}

TEST_CASE("Models need a runtime", "[nrt][model]") {
    nrt_model_t* model = nullptr;
    { const Runtime runtime; }
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    const std::string package = builtin("copy");
    CHECK(nrt_load(package.data(), package.size(), 0, 1, &model) == NRT_CLOSED);
    CHECK(nrt_unload(model) == NRT_CLOSED);
    CHECK(nrt_execute(nullptr, nullptr, nullptr) == NRT_CLOSED);
    CHECK(nrt_async_drain_queued_execs(0) == NRT_CLOSED);
}
