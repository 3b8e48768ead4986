// SPDX-License-Identifier: ISC
#include "nrt/model_table.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

namespace {

Ref<LoadedModel> model_on(uint32_t core) {
    return LoadedModel::make(nullptr, core, ModelTable::next_id());
}

} // namespace

TEST_CASE("A handle finds its model until it is taken out", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const handle = table.add(model_on(3));
    REQUIRE(handle != nullptr);
    CHECK(table.find(handle)->core() == 3);
    CHECK(table.take_out(handle));
    CHECK_FALSE(table.find(handle));
    CHECK_FALSE(table.take_out(handle));
}

TEST_CASE("A place used again has another handle", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const old = table.add(model_on(0));
    table.take_out(old);
    nrt_model_t* const next = table.add(model_on(0));
    CHECK(next != old);
    CHECK_FALSE(table.find(old));
    CHECK(table.find(next));
}

TEST_CASE("A handle is no address, and no address is a handle", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const handle = table.add(model_on(0));
    CHECK(reinterpret_cast<uint64_t>(handle) >> 48 != 0);
    int here = 0;
    CHECK_FALSE(table.find(reinterpret_cast<nrt_model_t*>(&here)));
    CHECK_FALSE(table.find(reinterpret_cast<nrt_model_t*>(reinterpret_cast<uint64_t>(handle) + 1)));
    CHECK_FALSE(table.find(nullptr));
}

TEST_CASE("A model that leaves is pinned no more, and waits for who pinned it", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const handle = table.add(model_on(0));
    PinnedModel pinned = table.find(handle);
    REQUIRE(pinned);
    CHECK(pinned->leave());
    CHECK_FALSE(pinned->leave()); // only the first one unloads
    CHECK_FALSE(table.find(handle));
    pinned.release();
    CHECK(table.take_out(handle)->wait_until_unpinned() == 0);
}

TEST_CASE("A full table takes no more models", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* last = nullptr;
    for (uint32_t i = 0; i < ModelTable::kMostModels; ++i)
        REQUIRE((last = table.add(model_on(i % 2))) != nullptr);
    CHECK(table.add(model_on(0)) == nullptr);
    CHECK(table.count_on(1) == ModelTable::kMostModels / 2);
    table.take_out(last);
    CHECK(table.add(model_on(0)) != nullptr);
    uint32_t left = 0;
    while (table.take_any()) ++left;
    CHECK(left == ModelTable::kMostModels);
}
