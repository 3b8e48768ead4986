// SPDX-License-Identifier: ISC
//
// The words of a command: operands, options, and complaints that end the program.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace xtc::model_tool {

enum Exit : int { exit_good = 0, exit_refused = 1, exit_usage = 2, exit_io = 3 };

// Ends the command; main prints the sentence.
struct Trouble {
    Exit code;
    std::string sentence;
};

[[noreturn]] inline void stop(Exit code, std::string sentence) {
    throw Trouble{code, std::move(sentence)};
}

struct OptionSpec {
    const char* name; // "--in"
    bool has_value;
};

class CommandLine {
public:
    // Options may stand anywhere; behind "--" everything is an operand.
    CommandLine(std::vector<std::string> words, std::initializer_list<OptionSpec> known);

    const std::vector<std::string>& operands() const { return operands_; }
    bool has(const char* option) const;
    // The last one given, or `fallback`.
    std::string value(const char* option, const std::string& fallback) const;
    unsigned long long number(const char* option, unsigned long long fallback) const;
    // NAME=VALUE pairs in the order given; a name given twice is an error.
    std::vector<std::pair<std::string, std::string>> pairs(const char* option) const;

private:
    std::vector<std::string> operands_;
    std::vector<std::pair<std::string, std::string>> options_;
};

} // namespace xtc::model_tool
