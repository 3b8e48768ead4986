// SPDX-License-Identifier: ISC
#include "nrt_package_fuzz.hpp"

#include "nrt_package_draw.hpp"

#include "nrt/package/file_name.hpp"
#include "nrt/package/model.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {
namespace {

using namespace xtc::nrt;
using test::Bytes;

constexpr uint64_t small_enough_to_run = 1 << 20;

// Memory between two pages that may not be touched: libarchive is not built with a sanitizer.
class Fenced {
public:
    enum class At : uint8_t { begin, end };

    Fenced(size_t size, At at) {
        const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        const size_t inside = (size + page - 1) / page * page;
        whole_ = inside + 2 * page;
        base_ =
            static_cast<std::byte*>(::mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (base_ == MAP_FAILED) throw std::bad_alloc();
        if (inside > 0 && ::mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
        data_ = base_ + page + (at == At::end ? inside - size : 0);
    }
    ~Fenced() { ::munmap(base_, whole_); }
    Fenced(const Fenced&) = delete;
    Fenced& operator=(const Fenced&) = delete;

    std::byte* data() const { return data_; }

private:
    std::byte* base_;
    std::byte* data_;
    size_t whole_;
};

struct Verdict {
    int32_t status = 0;
    std::string sentence;
    bool operator==(const Verdict&) const = default;
};

Verdict verdict_of(const Complaint& complaint) {
    return complaint ? Verdict{static_cast<int32_t>(complaint->status), complaint->sentence} : Verdict{};
}

constexpr ArchiveLimits limits{.bytes = limit_bytes, .entries = limit_entries};

Verdict open_fenced(const Bytes& bytes, Fenced::At at, Package& package) {
    const Fenced memory(bytes.size(), at);
    std::copy(bytes.begin(), bytes.end(), memory.data());
    return verdict_of(open_package({memory.data(), bytes.size()}, limits, package));
}

std::string judge_refusal(const Verdict& verdict) {
    if (verdict.status != 2 && verdict.status != 10)
        return "refused with status " + std::to_string(verdict.status);
    if (verdict.sentence.empty() || verdict.sentence.size() > 1000) return "a sentence of a strange length";
    for (const char c : verdict.sentence)
        if (c < 0x20 || c >= 0x7f) return "a sentence that does not print";
    return "";
}

std::string judge_tensors(const std::vector<TensorSpec>& tensors, uint64_t& total) {
    std::set<std::string> names;
    for (const TensorSpec& tensor : tensors) {
        if (tensor.name.empty() || tensor.name.size() > max_name_bytes) return "a tensor's name is too long";
        if (!names.insert(tensor.name).second) return "a tensor's name is doubled";
        if (tensor.shape.empty() || tensor.shape.size() > max_dimensions) return "a strange shape";
        uint64_t bytes = dtype_bytes(tensor.dtype);
        for (const uint32_t dimension : tensor.shape) {
            if (dimension == 0 || bytes > INT64_MAX / dimension) return "a size that is none";
            bytes *= dimension;
        }
        if (bytes != tensor.bytes) return "a size that is wrong";
        total += tensor.bytes;
        if (total > INT64_MAX) return "sizes that are none together";
    }
    return "";
}

std::string judge_accepted(const Package& package, uint64_t& total) {
    for (const auto* tensors : {&package.manifest.inputs, &package.manifest.outputs})
        if (std::string wrong = judge_tensors(*tensors, total); !wrong.empty()) return wrong;
    uint64_t bytes = 0;
    for (const PackageFile& file : package.files.all()) {
        std::string clean;
        if (clean_file_name(file.name, clean) || clean != file.name) return "a file's name is not clean";
        bytes += file.contents.size();
    }
    if (bytes > limit_bytes || package.files.all().size() > limit_entries)
        return "more than the limits allow";
    return "";
}

// Packed again it must be the same package.
std::string judge_repacked(const Package& package) {
    std::vector<const PackageFile*> files;
    for (const PackageFile& file : package.files.all()) files.push_back(&file);
    for (const bool gzip : {false, true}) {
        Bytes bytes;
        if (write_archive(files, gzip, bytes)) return "it cannot be packed again";
        Package again;
        // Other headers and padding than what was read: its size is not at stake.
        const Complaint complaint = open_package(bytes, {}, again);
        if (complaint) return "packed again it is refused: " + complaint->sentence;
        if (again.files.all().size() != files.size()) return "packed again it has other files";
        for (size_t i = 0; i < files.size(); ++i) {
            const PackageFile& other = again.files.all()[i];
            if (other.name != files[i]->name ||
                !std::ranges::equal(other.contents.bytes(), files[i]->contents.bytes()))
                return "packed again a file differs";
        }
    }
    return "";
}

int32_t status_due(const Builtin& builtin) {
    switch (builtin.op) {
    case Op::fail:
        return builtin.status;
    case Op::nan:
        return 1003;
    case Op::fatal:
        return 1202;
    default:
        return 0;
    }
}

std::string judge_run(Model& model) {
    std::vector<std::unique_ptr<Fenced>> memory;
    std::vector<InBuffer> in;
    std::vector<OutBuffer> out;
    const auto buffer_of = [&memory](const TensorSpec& tensor) {
        memory.push_back(std::make_unique<Fenced>(tensor.bytes, Fenced::At::end));
        return memory.back()->data();
    };
    for (const TensorSpec& tensor : model.manifest().inputs)
        in.push_back({buffer_of(tensor), static_cast<size_t>(tensor.bytes)});
    for (const TensorSpec& tensor : model.manifest().outputs)
        out.push_back({buffer_of(tensor), static_cast<size_t>(tensor.bytes)});
    const Outcome outcome = model.run(in, out, {[](void*, int64_t) {}, nullptr});
    const auto& builtin = std::get<Builtin>(model.manifest().runner);
    const auto status = static_cast<int32_t>(outcome.status);
    if (status != status_due(builtin) || outcome.is_fatal != (builtin.op == Op::fatal))
        return "op " + std::string(op_name(builtin.op)) + " ended " + std::to_string(status);
    return "";
}

// Bytes that were tampered with are never shown to the dynamic linker.
std::string judge_load(const Bytes& bytes, const Manifest& manifest, uint64_t total) {
    LoadOptions options;
    options.limits = limits;
    options.allow_native = false;
    std::unique_ptr<Model> model;
    const Complaint complaint = Model::load(bytes, options, model);
    const bool is_builtin = std::holds_alternative<Builtin>(manifest.runner);
    if (complaint.has_value() == is_builtin) return "loading says something else than opening";
    if (is_builtin && total <= small_enough_to_run) return judge_run(*model);
    return "";
}

std::string judge(const Drawn& drawn, Tally& tally) {
    Package package, again;
    const Verdict verdict = open_fenced(drawn.bytes, Fenced::At::end, package);
    if (open_fenced(drawn.bytes, Fenced::At::begin, again) != verdict) return "two readings, two verdicts";
    const bool is_refused = verdict.status != 0;
    ++(is_refused ? tally.refused : tally.accepted);
    if (is_refused && drawn.expect == Expect::accept) return "refused: " + verdict.sentence;
    if (!is_refused && drawn.expect == Expect::refuse) return "accepted";
    if (is_refused) return judge_refusal(verdict);
    uint64_t total = 0;
    if (std::string wrong = judge_accepted(package, total); !wrong.empty()) return wrong;
    if (std::string wrong = judge_repacked(package); !wrong.empty()) return wrong;
    return judge_load(drawn.bytes, package.manifest, total);
}

} // namespace

std::string fuzz_package(uint64_t seed, Tally& tally) {
    xtc::Prng random(seed);
    const Drawn drawn = draw_package(random);
    const std::string wrong = judge(drawn, tally);
    return wrong.empty() ? "" : drawn.story + ": " + wrong;
}

} // namespace fuzz
