// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "load/report.hpp"
#include "metrics.hpp"

using namespace serve;

TEST_CASE("metrics: the page reads back as the samples that were counted", "[serve]") {
    Metrics metrics;
    metrics.connections = 3;
    metrics.answers[4] = 5;
    metrics.queue_time.record(2'000'000);
    metrics.queue_time.record(60'000'000'000);
    xtc_batch_stats_t group = {};
    group.reserved_units = 77;
    auto page = load::read_metrics(metrics.to_text(group, {}));
    CHECK(page["serve_connections"] == 3);
    CHECK(page["serve_answers_total{status=\"4xx\"}"] == 5);
    CHECK(page["serve_batch_reserved_units"] == 77);
    CHECK(page["serve_queue_seconds_bucket{le=\"0.001\"}"] == 0);
    CHECK(page["serve_queue_seconds_bucket{le=\"0.003\"}"] == 1);
    CHECK(page["serve_queue_seconds_bucket{le=\"+Inf\"}"] == 2);
    CHECK(page["serve_queue_seconds_count"] == 2);
    CHECK(page["serve_queue_seconds_sum"] == Approx(60.002));
}

TEST_CASE("metrics: every sample has a HELP and a TYPE line before it", "[serve]") {
    std::string page = Metrics().to_text({}, {});
    std::string described;
    std::size_t from = 0;
    while (from < page.size()) {
        const std::size_t end = page.find('\n', from);
        const std::string line = page.substr(from, end - from);
        from = end + 1;
        if (line.starts_with("# TYPE ")) described = line.substr(7, line.find(' ', 7) - 7);
        if (!line.starts_with('#')) CHECK(line.starts_with(described));
    }
}
