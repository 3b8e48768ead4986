// SPDX-License-Identifier: ISC
#include "report.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace load {
namespace {

double quantile_ms(std::vector<std::int64_t> samples, double share) {
    if (samples.empty()) return 0;
    const auto at =
        samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), at, samples.end());
    return static_cast<double>(*at) * 1e-6;
}

__attribute__((format(printf, 2, 3))) void append(std::string& out, const char* format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(line, sizeof line, format, args);
    va_end(args);
    out += line;
}

// On one line, for people.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) out += c == '\n' || c == '\r' ? ' ' : c;
    return out + "\"";
}

} // namespace

double Report::tokens_per_s() const {
    return elapsed_ns > 0 ? static_cast<double>(tokens) / (static_cast<double>(elapsed_ns) * 1e-9) : 0;
}

std::string Report::table() const {
    std::string out;
    append(out, "  requests         %llu answered, %llu left in the middle, %llu refused, %llu failed\n",
           static_cast<unsigned long long>(answered), static_cast<unsigned long long>(left),
           static_cast<unsigned long long>(refused), static_cast<unsigned long long>(failed));
    append(out, "  tokens           %llu in %.2f s: %.0f tokens/s\n", static_cast<unsigned long long>(tokens),
           static_cast<double>(elapsed_ns) * 1e-9, tokens_per_s());
    append(out, "  batch occupancy  %.1f requests in a step, over %llu steps\n", mean_vector,
           static_cast<unsigned long long>(steps));
    append(out, "  first token      p50 %8.2f ms   p99 %8.2f ms\n", quantile_ms(first_token_ns, 0.5),
           quantile_ms(first_token_ns, 0.99));
    append(out, "  inter-token      p50 %8.2f ms   p99 %8.2f ms\n", quantile_ms(inter_token_ns, 0.5),
           quantile_ms(inter_token_ns, 0.99));
    out += "  one answer       " + quoted(prompt) + " -> " + quoted(answer) + "\n";
    return out;
}

std::string Report::variables() const {
    std::string out;
    append(out, "answered=%llu\nleft=%llu\nrefused=%llu\nfailed=%llu\ntokens=%llu\n",
           static_cast<unsigned long long>(answered), static_cast<unsigned long long>(left),
           static_cast<unsigned long long>(refused), static_cast<unsigned long long>(failed),
           static_cast<unsigned long long>(tokens));
    append(out, "tokens_per_s=%.0f\nmean_vector=%.1f\nfirst_p50_ms=%.2f\nfirst_p99_ms=%.2f\n", tokens_per_s(),
           mean_vector, quantile_ms(first_token_ns, 0.5), quantile_ms(first_token_ns, 0.99));
    append(out, "inter_p50_ms=%.2f\ninter_p99_ms=%.2f\n", quantile_ms(inter_token_ns, 0.5),
           quantile_ms(inter_token_ns, 0.99));
    return out;
}

std::map<std::string, double> read_metrics(std::string_view page) {
    std::map<std::string, double> samples;
    while (!page.empty()) {
        const std::size_t end = std::min(page.find('\n'), page.size());
        const std::string line(page.substr(0, end));
        page.remove_prefix(std::min(end + 1, page.size()));
        const std::size_t space = line.rfind(' ');
        if (line.starts_with('#') || space == std::string::npos) continue;
        samples[line.substr(0, space)] = std::strtod(line.c_str() + space, nullptr);
    }
    return samples;
}

} // namespace load
