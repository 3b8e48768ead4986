// SPDX-License-Identifier: ISC
#include "tools/model/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace xtc::model_tool {

CommandLine::CommandLine(std::vector<std::string> words, std::initializer_list<OptionSpec> known) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            operands_.insert(operands_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             words.end());
            return;
        }
        if (word.size() < 2 || word[0] != '-') {
            operands_.push_back(word);
            continue;
        }
        const auto spec = std::find_if(known.begin(), known.end(),
                                       [&](const OptionSpec& option) { return word == option.name; });
        if (spec == known.end()) stop(exit_usage, "there is no option " + word);
        std::string value;
        if (spec->has_value) {
            if (++i == words.size()) stop(exit_usage, word + " needs a value");
            value = words[i];
        }
        options_.emplace_back(word, value);
    }
}

bool CommandLine::has(const char* option) const {
    return std::any_of(options_.begin(), options_.end(),
                       [&](const auto& given) { return given.first == option; });
}

std::string CommandLine::value(const char* option, const std::string& fallback) const {
    std::string last = fallback;
    for (const auto& [name, value] : options_)
        if (name == option) last = value;
    return last;
}

unsigned long long CommandLine::number(const char* option, unsigned long long fallback) const {
    if (!has(option)) return fallback;
    const std::string text = value(option, "");
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || errno != 0)
        stop(exit_usage, std::string(option) + " needs a number, not '" + text + "'");
    return number;
}

std::vector<std::pair<std::string, std::string>> CommandLine::pairs(const char* option) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [name, value] : options_) {
        if (name != option) continue;
        const size_t equals = value.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
            stop(exit_usage, name + " needs NAME=FILE, not '" + value + "'");
        const std::string key = value.substr(0, equals);
        for (const auto& other : found)
            if (other.first == key) stop(exit_usage, name + " names '" + key + "' twice");
        found.emplace_back(key, value.substr(equals + 1));
    }
    return found;
}

} // namespace xtc::model_tool
