// SPDX-License-Identifier: ISC
#include "nrt/client/packages.hpp"
#include "support/process_threads.hpp"

using namespace client;

TEST_CASE("A model runs on the tensors that its sets name", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(
        package_of(manifest_text(tensor_text("a", "int32", "[3]") + "," + tensor_text("b", "int32", "[3]"),
                                 tensor_text("sum", "int32", "[3]"), R"("runner":"builtin","op":"add")")));
    const Tensor a(12), b(12), sum(12);
    const Set in, out;
    in.put("a", a);
    in.put("b", b);
    out.put("sum", sum);
    const int32_t ones[] = {1, 10, 100};
    const int32_t twos[] = {2, 20, 200};
    int32_t answer[3] = {};
    REQUIRE(nrt_tensor_write(a, ones, 0, 12) == NRT_SUCCESS);
    REQUIRE(nrt_tensor_write(b, twos, 0, 12) == NRT_SUCCESS);
    CHECK(nrt_execute(model, in, out) == NRT_SUCCESS);
    REQUIRE(nrt_tensor_read(sum, answer, 0, 12) == NRT_SUCCESS);
    CHECK(answer[0] == 3);
    CHECK(answer[1] == 30);
    CHECK(answer[2] == 300);
}

TEST_CASE("Kernels too big for the loop run on the device's thread", "[nrt][execute][threads]") {
    const Runtime runtime;
    constexpr size_t bytes = size_t{1} << 20;
    const Model model(builtin("copy", "{}", "[1048576]", "uint8"));
    const Unary tensors(bytes);
    std::string text(bytes, 'a');
    for (size_t i = 0; i < bytes; i += 997) text[i] = static_cast<char>('b' + i % 20);
    const auto has_thread = [] { return xtc::test::thread_names().count("nrt-dev/0") == 1; };
    CHECK(Unary().run(Model(builtin("copy"))) == NRT_SUCCESS);
    CHECK_FALSE(has_thread()); // a small one has run on the loop, and nobody needed a device thread
    CHECK(tensors.run_on(model, text) == text);
    CHECK(has_thread());
}

TEST_CASE("Host tensors, slices and attached buffers are as good as device tensors", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    CHECK(Unary(16, NRT_TENSOR_PLACEMENT_HOST).run_on(model, "on the host now!") == "on the host now!");

    const Tensor whole(64);
    const Tensor slice(whole, 20, 16);
    char buffer[16] = {};
    nrt_tensor_t* attached = nullptr;
    REQUIRE(nrt_tensor_allocate_empty("b", &attached) == NRT_SUCCESS);
    REQUIRE(nrt_tensor_attach_buffer(attached, buffer, sizeof buffer) == NRT_SUCCESS);
    const Set in, out;
    in.put("x", slice);
    out.put("y", attached);
    whole.write("in the middle...", 20);
    CHECK(nrt_execute(model, in, out) == NRT_SUCCESS);
    CHECK(std::string(buffer, sizeof buffer) == "in the middle...");
    nrt_tensor_free(&attached);
}

TEST_CASE("Sets that do not fit the model are refused and nothing runs", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("fatal")); // whoever runs it knows
    const Unary fitting;
    const Tensor small(15), other(16);
    nrt_tensor_t* empty = nullptr;
    REQUIRE(nrt_tensor_allocate_empty("e", &empty) == NRT_SUCCESS);
    const auto run = [&](nrt_tensor_t* x, const char* x_name, nrt_tensor_t* y, const char* y_name) {
        const Set in, out;
        in.put(x_name, x);
        out.put(y_name, y);
        return nrt_execute(model, in, out);
    };
    CHECK(run(small, "x", other, "y") == NRT_INVALID);
    CHECK(run(other, "x", small, "y") == NRT_INVALID);
    CHECK(run(other, "z", other, "y") == NRT_INVALID);
    CHECK(run(other, "x", other, "z") == NRT_INVALID);
    CHECK(run(empty, "x", other, "y") == NRT_INVALID);
    CHECK(run(other, "x", empty, "y") == NRT_INVALID);
    const Set crowded;
    crowded.put("x", other);
    crowded.put("more", other);
    CHECK(nrt_execute(model, crowded, fitting.out) == NRT_INVALID);
    CHECK(nrt_execute(model, other.handle, fitting.out) == NRT_INVALID); // no set at all
    CHECK(nrt_execute(nullptr, fitting.in, fitting.out) == NRT_INVALID);
    CHECK(nrt_execute(model, nullptr, fitting.out) == NRT_INVALID);
    CHECK(nrt_execute(model, fitting.in, nullptr) == NRT_INVALID);
    CHECK(Unary().run(Model(builtin("copy"))) == NRT_SUCCESS); // the core is as it was
    nrt_tensor_free(&empty);
}

TEST_CASE("A tensor larger than the model's is used at its front", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors(64);
    tensors.y.write(std::string(64, '-'));
    CHECK(tensors.run_on(model, "sixteen bytes!!! and more of them") == "sixteen bytes!!!-----------------");
}

TEST_CASE("The status of a run is what the model ended with", "[nrt][execute]") {
    const Runtime runtime;
    const Unary tensors;
    CHECK(tensors.run(Model(builtin("nan"))) == NRT_EXEC_COMPLETED_WITH_NUM_ERR);
    CHECK(tensors.run(Model(builtin("fail", R"({"status":1006})"))) == NRT_EXEC_OOB);
    CHECK(tensors.run(Model(builtin("fail", R"({"status":5})"))) == NRT_TIMEOUT);
    CHECK(tensors.run(Model(builtin("copy"))) == NRT_SUCCESS);
}

TEST_CASE("A run counts as a completion of its output", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Unary tensors;
    CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 2) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 3) == NRT_TIMEOUT);
    CHECK(nrt_tensor_check_output_completion(tensors.x, 0, 1) == NRT_TIMEOUT);
    CHECK(nrt_tensor_reset_output_completion(tensors.y) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 1) == NRT_TIMEOUT);
    CHECK(tensors.run(model) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, -1, 1) == NRT_SUCCESS);
}

TEST_CASE("Repeat runs so many times and returns the worst status", "[nrt][execute]") {
    const Runtime runtime;
    const Unary tensors;
    const Model copy(builtin("copy"));
    CHECK(nrt_execute_repeat(copy, tensors.in, tensors.out, 20) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 20) == NRT_SUCCESS);
    CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 21) == NRT_TIMEOUT);
    CHECK(nrt_execute_repeat(copy, tensors.in, tensors.out, 0) == NRT_INVALID);
    CHECK(nrt_execute_repeat(copy, tensors.in, tensors.out, -1) == NRT_INVALID);
    CHECK(nrt_execute_repeat(Model(builtin("nan")), tensors.in, tensors.out, 3) ==
          NRT_EXEC_COMPLETED_WITH_NUM_ERR);
    // The first ends 1202, those behind it 101: the worse of the two.
    CHECK(nrt_execute_repeat(Model(builtin("fatal")), tensors.in, tensors.out, 3) == NRT_EXEC_HW_ERR_NC_UE);
}

TEST_CASE("Repeat runs the count whatever status the model ends with", "[nrt][execute]") {
    // A run that ended with a status that also refuses a call was taken for a refused one.
    const Runtime runtime;
    for (const int status : {2, 3, 5, 7, 101, 1004}) {
        CAPTURE(status);
        const Unary tensors;
        const Model fail(builtin("fail", R"({"status":)" + std::to_string(status) + "}"));
        CHECK(nrt_execute_repeat(fail, tensors.in, tensors.out, 4) == status);
        CHECK(nrt_tensor_check_output_completion(tensors.y, 0, 4) == NRT_SUCCESS);
    }
}

TEST_CASE("A fatal fault takes the core's unit until the next init, and no other core's", "[nrt][execute]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    {
        const Runtime runtime;
        const Model fatal(builtin("fatal"), 0), same_core(builtin("copy"), 0), other_core(builtin("copy"), 1);
        const Unary tensors;
        CHECK(tensors.run(same_core) == NRT_SUCCESS);
        CHECK(tensors.run(fatal) == NRT_EXEC_HW_ERR_NC_UE);
        CHECK(tensors.run(same_core) == NRT_EXEC_UNIT_UNRECOVERABLE);
        CHECK(tensors.run(fatal) == NRT_EXEC_UNIT_UNRECOVERABLE);
        CHECK(nrt_execute(same_core, tensors.out, tensors.in) == NRT_INVALID); // arguments come first
        CHECK(tensors.run(other_core) == NRT_SUCCESS);
    }
    const Runtime again;
    CHECK(Unary().run(Model(builtin("copy"), 0)) == NRT_SUCCESS);
}

TEST_CASE("Close unloads what a failed execution left loaded", "[nrt][execute]") {
    for (const char* op : {"fatal", "nan", "copy"}) {
        const Runtime runtime;
        const std::string package = builtin(op);
        nrt_model_t* model = nullptr;
        REQUIRE(nrt_load(package.data(), package.size(), 0, 1, &model) == NRT_SUCCESS);
        const Unary tensors;
        tensors.run(model);
    }
    SUCCEED("the leak checker has the last word");
}

TEST_CASE("A tensor freed while a set has it is still run on", "[nrt][execute]") {
    const Runtime runtime;
    const Model model(builtin("copy"));
    const Tensor y(16);
    const Set in, out;
    nrt_tensor_t* x = nullptr;
    REQUIRE(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 16, "x", &x) == NRT_SUCCESS);
    REQUIRE(nrt_tensor_write(x, "freed but in use", 0, 16) == NRT_SUCCESS);
    in.put("x", x);
    out.put("y", y);
    nrt_tensor_free(&x);
    CHECK(nrt_execute(model, in, out) == NRT_SUCCESS);
    CHECK(y.read(0, 16) == "freed but in use");
}
