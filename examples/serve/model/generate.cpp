// SPDX-License-Identifier: ISC
//
// A prompt in, text and tokens per second out.
#include "model.h"
#include "sampler.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Options {
    std::string weights = MODEL_DEFAULT_WEIGHTS;
    std::string prompt = "And it came to pass, ";
    unsigned count = 300;
    unsigned batch = 1;
    model_sampler_options_t sampling{};
};

[[noreturn]] void usage(int status) {
    std::fprintf(
        status == 0 ? stdout : stderr,
        "usage: generate [options]\n"
        "  --prompt TEXT      the beginning of the text\n"
        "  --tokens N         how many bytes to add (300)\n"
        "  --temperature T    0 is greedy (0)\n"
        "  --top-p P, --top-k K, --seed N\n"
        "  --batch N          N sequences in one step, each with its own seed; prints the first (1)\n"
        "  --weights FILE\n");
    std::exit(status);
}

double number(const char* text) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value <= 1e15)) usage(2);
    return value;
}

unsigned count_of(const char* text) {
    const double value = number(text);
    if (value < 1 || value > 65536) usage(2);
    return unsigned(value);
}

Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--help" || name == "-h") usage(0);
        if (i + 1 == argc) usage(2);
        const char* value = argv[i + 1];
        if (name == "--prompt")
            o.prompt = value;
        else if (name == "--weights")
            o.weights = value;
        else if (name == "--tokens")
            o.count = count_of(value);
        else if (name == "--batch")
            o.batch = count_of(value);
        else if (name == "--temperature")
            o.sampling.temperature = float(number(value));
        else if (name == "--top-p")
            o.sampling.top_p = float(number(value));
        else if (name == "--top-k")
            o.sampling.top_k = unsigned(number(value));
        else if (name == "--seed")
            o.sampling.seed = uint64_t(number(value));
        else
            usage(2);
    }
    if (o.prompt.empty()) usage(2);
    return o;
}

void require(model_status_t status, const char* what) {
    if (status == MODEL_OK) return;
    std::fprintf(stderr, "generate: %s: %s\n", what, model_status_text(status));
    std::exit(1);
}

struct Line {
    uint32_t sequence = 0;
    model_sampler_t sampler{};
    uint8_t next = 0;
};

void prefill(model_t* model, const Options& o, uint32_t chunk, Line& line) {
    const auto* text = reinterpret_cast<const uint8_t*>(o.prompt.data());
    for (size_t at = 0; at < o.prompt.size(); at += chunk) {
        const size_t n = std::min<size_t>(chunk, o.prompt.size() - at);
        const bool last = at + n == o.prompt.size();
        const model_row_t row{line.sequence, text + at, uint32_t(n), last};
        require(model_step(model, &row, 1), "prompt");
        if (last) line.next = model_sample(&line.sampler, model_logits(model, 0));
    }
}

} // namespace

int main(int argc, char** argv) {
    const Options o = parse(argc, argv);
    const model_options_t model_options{o.batch, 0, 0};
    model_t* model = nullptr;
    char why[160];
    if (model_open(o.weights.c_str(), &model_options, &model, why, sizeof why) != MODEL_OK) {
        std::fprintf(stderr, "generate: %s\n", why);
        return 1;
    }
    model_info_t info;
    model_get_info(model, &info);

    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    std::vector<Line> lines(o.batch);
    for (unsigned i = 0; i < o.batch; ++i) {
        model_sampler_options_t sampling = o.sampling;
        sampling.seed += i;
        require(model_sampler_init(&lines[i].sampler, &sampling), "sampling options");
        require(model_seq_open(model, &lines[i].sequence), "sequence");
        prefill(model, o, info.max_step_tokens, lines[i]);
    }
    const auto decode = Clock::now();

    std::printf("%s", o.prompt.c_str());
    std::vector<model_row_t> rows(o.batch);
    unsigned made = 0;
    for (; made < o.count; ++made) {
        std::putchar(lines[0].next);
        std::fflush(stdout);
        if (model_seq_length(model, lines[0].sequence) == info.max_context) break;
        for (unsigned i = 0; i < o.batch; ++i) rows[i] = {lines[i].sequence, &lines[i].next, 1, 1};
        require(model_step(model, rows.data(), o.batch), "step");
        for (unsigned i = 0; i < o.batch; ++i)
            lines[i].next = model_sample(&lines[i].sampler, model_logits(model, i));
    }
    const auto end = Clock::now();

    const std::chrono::duration<double> prompt_time = decode - begin, decode_time = end - decode;
    std::printf("\n");
    std::fprintf(stderr, "prompt: %.0f tokens/s; decode at batch %u: %.0f tokens/s (%u steps of %.0f us)\n",
                 double(o.prompt.size()) * o.batch / prompt_time.count(), o.batch,
                 double(made) * o.batch / decode_time.count(), made, decode_time.count() / made * 1e6);
    model_close(model);
    return 0;
}
