// SPDX-License-Identifier: ISC
#include "batch/model/trial.hpp"

#include "batch/model/duel.hpp"
#include "batch/model/generator.hpp"

#include <xtc.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

namespace model {

namespace {

constexpr size_t kMostSteps = 200;
constexpr size_t kMostText = 1 << 16;
constexpr unsigned kPatience = 5; // seconds for one script
constexpr int kMostTrials = 4000;
constexpr int64_t kMostTime = 30'000'000'000; // for cutting down

// What a child leaves to its parent, whatever becomes of it.
struct Legacy {
    uint64_t seed, seeds, done, digest;
    std::array<int, kMakes> make;
    size_t n_steps;
    Step steps[kMostSteps];
    size_t text_length;
    char text[kMostText];
    char what[512];

    void say(const std::string& line) {
        const size_t room = kMostText - text_length;
        const size_t n = std::min(room, line.size() + 1);
        if (n == 0) return;
        std::memcpy(text + text_length, line.data(), n - 1);
        text[text_length + n - 1] = '\n';
        text_length += n;
    }
    Script script() const { return {make, std::vector<Step>(steps, steps + n_steps)}; }
};

class SharedLegacy {
public:
    SharedLegacy()
        : memory_(
              ::mmap(nullptr, sizeof(Legacy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) std::abort();
    }
    ~SharedLegacy() { ::munmap(memory_, sizeof(Legacy)); }
    SharedLegacy(const SharedLegacy&) = delete;
    SharedLegacy& operator=(const SharedLegacy&) = delete;
    Legacy* operator->() const { return static_cast<Legacy*>(memory_); }
    Legacy& operator*() const { return *static_cast<Legacy*>(memory_); }

private:
    void* memory_;
};

// How the child ended; empty: well. A script that hangs is ended by its alarm.
std::string in_child(const std::function<bool()>& body, bool quiet) {
    const pid_t child = ::fork();
    if (child < 0) std::abort();
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        if (quiet) ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        ::_exit(body() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it hangs";
    if (WIFSIGNALED(status)) return std::string("it crashes: ") + ::strsignal(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "it ends with " + std::to_string(WEXITSTATUS(status));
}

std::string end_of(const Legacy& legacy, const std::string& ending) {
    return legacy.what[0] != 0 ? std::string(legacy.what) : ending;
}

bool judge(const Duel& duel, Legacy& legacy) {
    std::snprintf(legacy.what, sizeof(legacy.what), "%s", duel.difference().c_str());
    return !duel.is_over();
}

bool duel_of(uint64_t seed, Legacy& legacy) {
    Generator generator(seed);
    Script script = generator.begin();
    legacy.seed = seed;
    legacy.make = script.make;
    legacy.n_steps = 0;
    Duel duel(script);
    for (int i = 0; i < generator.length() && !duel.is_over(); ++i) {
        const Step step = generator.next(duel);
        legacy.steps[legacy.n_steps++] = step;
        duel.apply(step);
    }
    duel.finish();
    legacy.done += legacy.n_steps;
    legacy.digest = legacy.digest * 1099511628211u ^ duel.digest();
    return judge(duel, legacy);
}

std::string replay(const Script& script, Legacy& legacy, bool narrated) {
    legacy.text_length = 0;
    legacy.what[0] = 0;
    const auto run = [&] {
        ::alarm(kPatience);
        Duel duel(script, narrated ? Duel::Narrator([&legacy](const std::string& line) { legacy.say(line); })
                                   : Duel::Narrator());
        for (const Step& step : script.steps) duel.apply(step);
        duel.finish();
        return judge(duel, legacy);
    };
    return end_of(legacy, in_child(run, true));
}

// Tries smaller scripts and keeps what still differs.
class Shrinker {
public:
    explicit Shrinker(const Script& script) : best_(script) {}

    Script run() {
        for (bool better = true; better && !is_spent();) {
            better = leave_out();
            better = lessen() || better;
            better = unify() || better;
        }
        return best_;
    }

private:
    bool is_spent() const { return trials_ > kMostTrials || xtc_clock_mono() > until_; }

    bool keep(const Script& smaller) {
        ++trials_;
        if (is_spent() || replay(smaller, *legacy_, false).empty()) return false;
        best_ = smaller;
        return true;
    }

    bool leave_out() {
        bool any = false;
        for (size_t chunk = std::max<size_t>(best_.steps.size() / 2, 1); chunk > 0; chunk /= 2)
            for (size_t at = 0; at < best_.steps.size();) {
                Script smaller = best_;
                const auto from = smaller.steps.begin() + static_cast<ptrdiff_t>(at);
                const auto n = std::min(chunk, smaller.steps.size() - at);
                smaller.steps.erase(from, from + static_cast<ptrdiff_t>(n));
                if (keep(smaller))
                    any = true;
                else
                    at += chunk;
            }
        return any;
    }

    // The same answer for every member: then it no longer matters which handle one has.
    bool unify() {
        bool any = false;
        for (size_t n = 0; n < best_.steps.size(); ++n) {
            if (best_.steps[n].act != Act::turn) continue;
            for (size_t i = 0; i < 4; ++i) {
                Script smaller = best_;
                auto& a = smaller.steps[n].a;
                std::fill_n(a.begin() + Turn::state, 4, best_.steps[n].a[Turn::state + i]);
                if (is_uniform(best_.steps[n]) || smaller.steps[n] == best_.steps[n] || !keep(smaller))
                    continue;
                any = true;
                break;
            }
        }
        return any;
    }

    template <typename Get> bool lessen_number(Get get) {
        bool any = false;
        for (const int wanted : {0, 1, get(best_) / 2, get(best_) - 1}) {
            const int now = get(best_);
            if (std::abs(wanted) >= std::abs(now)) continue;
            Script smaller = best_;
            get(smaller) = wanted;
            if (keep(smaller)) any = true;
        }
        return any;
    }

    static bool is_uniform(const Step& s) {
        const auto first = s.a.begin() + Turn::state;
        return s.act == Act::turn && *first != 0 &&
               std::all_of(first, first + 4, [first](int state) { return state == *first; });
    }

    bool lessen() {
        bool any = false;
        for (size_t i = 0; i < kMakes; ++i)
            any = lessen_number([i](Script& s) -> int& { return s.make[i]; }) || any;
        for (size_t n = 0; n < best_.steps.size(); ++n)
            for (size_t i = 0; i < kArguments; ++i)
                if (!is_uniform(best_.steps[n]) || i < Turn::state || i >= Turn::state + 4)
                    any = lessen_number([n, i](Script& s) -> int& { return s.steps[n].a[i]; }) || any;
        return any;
    }

    Script best_;
    SharedLegacy legacy_;
    int trials_ = 0;
    const int64_t until_ = xtc_clock_mono() + kMostTime;
};

} // namespace

SearchEnd search(const Search& plan) {
    SharedLegacy legacy;
    const auto run = [&] {
        for (uint64_t seed = plan.first_seed; legacy->done < plan.steps; ++seed) {
            ::alarm(kPatience);
            if (!duel_of(seed, *legacy)) return false;
            ++legacy->seeds;
        }
        return true;
    };
    const std::string ending = in_child(run, false);
    SearchEnd end;
    end.seeds = legacy->seeds;
    end.steps = legacy->done;
    end.digest = legacy->digest;
    end.finding.what = end_of(*legacy, ending);
    end.finding.found = !end.finding.what.empty();
    end.finding.seed = legacy->seed;
    end.finding.script = legacy->script();
    return end;
}

Finding shrink(const Finding& finding) {
    Finding smaller = finding;
    smaller.script = Shrinker(finding.script).run();
    SharedLegacy legacy;
    const std::string what = replay(smaller.script, *legacy, false);
    if (what.empty()) return finding; // it does not come again: what was seen is all there is
    smaller.what = what;
    return smaller;
}

std::string shown(const Finding& finding) {
    SharedLegacy legacy;
    const std::string what = replay(finding.script, *legacy, true);
    std::string text = "/* seed " + std::to_string(finding.seed) + ": " + finding.what + " */\n";
    if (what.empty()) text += "/* run again it does not differ */\n";
    return text + std::string(legacy->text, legacy->text_length);
}

} // namespace model
