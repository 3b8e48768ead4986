// SPDX-License-Identifier: ISC
#include "weights.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace transformer {
namespace {

static_assert(std::endian::native == std::endian::little, "weights are used as they lie in the file");

constexpr uint32_t alignment = 64;

struct FileHeader {
    char magic[8];
    uint32_t version, tensors;
    uint32_t vocabulary, context, width, layers, heads, shared_heads, hidden;
    float rope_base, norm_epsilon;
    uint32_t zero;
    uint64_t file_bytes, checksum;
};
static_assert(sizeof(FileHeader) == 72);

struct FileTensor {
    char name[32];
    uint32_t rows, columns;
    uint64_t zero, offset;
};
static_assert(sizeof(FileTensor) == 56);

uint64_t fnv1a(const unsigned char* bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word;
        std::memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

bool within(uint32_t value, uint32_t low, uint32_t high) {
    return value >= low && value <= high;
}

std::string check_shape(const FileHeader& h) {
    if (h.vocabulary != 256) return "the vocabulary is not the 256 bytes";
    if (!within(h.context, 1, 1u << 16)) return "context is outside 1 to 65536";
    if (!within(h.width, 2, 1u << 12)) return "width is outside 2 to 4096";
    if (!within(h.layers, 1, 64)) return "layers is outside 1 to 64";
    if (!within(h.hidden, 1, 1u << 14)) return "hidden is outside 1 to 16384";
    if (!within(h.heads, 1, h.width / 2) || h.width % h.heads != 0 || h.width / h.heads % 2 != 0)
        return "heads do not divide the width into even parts";
    if (!within(h.shared_heads, 1, h.heads) || h.heads % h.shared_heads != 0)
        return "shared heads do not divide the heads";
    if (!std::isfinite(h.rope_base) || h.rope_base < 1) return "the rope base is no number from 1 up";
    if (!std::isfinite(h.norm_epsilon) || h.norm_epsilon < 0)
        return "the norm epsilon is no number from 0 up";
    if (h.tensors != 3 + 6 * h.layers) return "the number of tensors does not fit the layers";
    return {};
}

class Table {
public:
    Table(const unsigned char* bytes, size_t size, uint32_t count) : size_(size), entries_(count) {
        std::memcpy(entries_.data(), bytes + sizeof(FileHeader), count * sizeof(FileTensor));
    }

    static uint64_t end(uint32_t count) { return sizeof(FileHeader) + uint64_t(count) * sizeof(FileTensor); }

    // Finds a tensor of exactly this shape; the first failure stays in error().
    const float* take(const std::string& name, uint32_t rows, uint32_t columns, Weights& weights) {
        if (!error_.empty()) return nullptr;
        const FileTensor* entry = find(name);
        if (!entry) return fail("tensor " + name + " is missing");
        if (entry->rows != rows || entry->columns != columns)
            return fail("tensor " + name + " has another shape");
        const uint64_t count = uint64_t(rows) * columns; // each is at most 2^14 here
        if (entry->offset % alignment != 0 || entry->offset < end(uint32_t(entries_.size())) ||
            entry->offset > size_ || count * sizeof(float) > size_ - entry->offset)
            return fail("tensor " + name + " lies outside the file");
        const float* values = weights.storage.data() + entry->offset / sizeof(float);
        for (uint64_t i = 0; i < count; ++i)
            if (!std::isfinite(values[i]))
                return fail("tensor " + name + " holds something that is no number");
        weights.parameters += count;
        return values;
    }

    const std::string& error() const { return error_; }

private:
    const FileTensor* find(const std::string& name) const {
        for (const FileTensor& entry : entries_) {
            char wanted[sizeof entry.name] = {};
            name.copy(wanted, sizeof wanted - 1);
            if (std::memcmp(wanted, entry.name, sizeof wanted) == 0) return &entry;
        }
        return nullptr;
    }

    std::nullptr_t fail(std::string why) {
        error_ = std::move(why);
        return nullptr;
    }

    size_t size_;
    std::vector<FileTensor> entries_;
    std::string error_;
};

} // namespace

std::string parse_weights(const void* data, size_t size, Weights& weights) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    FileHeader h;
    if (size < sizeof h) return "the file is shorter than its header";
    std::memcpy(&h, bytes, sizeof h);
    if (std::memcmp(h.magic, "xtclm\0\0", sizeof h.magic) != 0) return "this is no weights file";
    if (h.version != 1) return "the version is not 1";
    if (std::string why = check_shape(h); !why.empty()) return why;
    if (h.file_bytes != size) return "the file does not have the size its header says";
    if (size % alignment != 0) return "the size of the file is no multiple of 64";
    if (Table::end(h.tensors) > size) return "the tensor table is cut off";
    if (fnv1a(bytes + sizeof h, size - sizeof h) != h.checksum) return "the checksum is wrong";

    weights.shape = {h.vocabulary,   h.context, h.width,     h.layers,      h.heads,
                     h.shared_heads, h.hidden,  h.rope_base, h.norm_epsilon};
    weights.storage.resize(size / sizeof(float));
    std::memcpy(weights.storage.data(), bytes, size);
    weights.parameters = 0;

    Table table(bytes, size, h.tensors);
    weights.embedding = table.take("embedding", h.vocabulary, h.width, weights);
    weights.layers.resize(h.layers);
    for (uint32_t i = 0; i < h.layers; ++i) {
        const std::string prefix = "layer" + std::to_string(i) + ".";
        LayerWeights& layer = weights.layers[i];
        layer.attention_norm = table.take(prefix + "attention_norm", 1, h.width, weights);
        layer.attention_in =
            table.take(prefix + "attention_in", h.width, weights.shape.packed_width(), weights);
        layer.attention_out = table.take(prefix + "attention_out", h.width, h.width, weights);
        layer.feed_norm = table.take(prefix + "feed_norm", 1, h.width, weights);
        layer.feed_in = table.take(prefix + "feed_in", h.width, h.hidden, weights);
        layer.feed_out = table.take(prefix + "feed_out", h.hidden, h.width, weights);
    }
    weights.final_norm = table.take("final_norm", 1, h.width, weights);
    weights.readout = table.take("readout", h.width, h.vocabulary, weights);
    return table.error();
}

} // namespace transformer
