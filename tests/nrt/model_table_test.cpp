// SPDX-License-Identifier: ISC
#include "nrt/model_table.hpp"

#include <catch2/catch.hpp>

using namespace xtc::nrt;

namespace {

Ref<LoadedModel> model_on(uint32_t core) {
    return LoadedModel::make(nullptr, core, ModelTable::next_id());
}

uint32_t count(const ModelTable& table) {
    uint32_t models = 0;
    table.for_each([&](LoadedModel&) { ++models; });
    return models;
}

} // namespace

TEST_CASE("A handle finds its model until it is unloaded, which one call does", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const handle = table.add(model_on(3));
    REQUIRE(handle != nullptr);
    CHECK(table.find(handle)->core() == 3);
    CHECK(table.count_on(3) == 1);
    REQUIRE(table.begin_unload(handle) != nullptr);
    CHECK_FALSE(table.find(handle));
    CHECK(table.begin_unload(handle) == nullptr);
    CHECK(table.count_on(3) == 0);
    CHECK(count(table) == 1); // for who closes meanwhile
    table.end_unload(handle);
    CHECK(count(table) == 0);
}

TEST_CASE("A place used again has another handle", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* const old = table.add(model_on(0));
    REQUIRE(table.begin_unload(old) != nullptr);
    table.end_unload(old);
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
    LoadedModel* const leaving = table.begin_unload(handle);
    REQUIRE(leaving != nullptr);
    CHECK_FALSE(table.find(handle));
    pinned.release();
    CHECK(leaving->wait_until_unpinned() == 0);
}

TEST_CASE("A full table takes no more models", "[nrt][model]") {
    ModelTable table;
    nrt_model_t* last = nullptr;
    for (uint32_t i = 0; i < ModelTable::kMostModels; ++i)
        REQUIRE((last = table.add(model_on(i % 2))) != nullptr);
    CHECK(table.add(model_on(0)) == nullptr);
    CHECK(table.count_on(1) == ModelTable::kMostModels / 2);
    REQUIRE(table.begin_unload(last) != nullptr);
    table.end_unload(last);
    CHECK(table.add(model_on(0)) != nullptr);
    CHECK(count(table) == ModelTable::kMostModels);
}
