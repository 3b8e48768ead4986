// SPDX-License-Identifier: ISC
#include "nrt/package/file_name.hpp"

namespace xtc::nrt {
namespace {

bool is_plain(char c) {
    return c >= 0x20 && c < 0x7f && c != '\\';
}

Complaint complain(std::string_view name, const char* what) {
    return refuse("file name '" + printable(name) + "' " + what);
}

} // namespace

std::string printable(std::string_view text, size_t longest) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : text.substr(0, longest)) {
        if (is_plain(c)) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        }
    }
    if (text.size() > longest) out += "...";
    return out;
}

Complaint clean_file_name(std::string_view given, std::string& clean) {
    std::string_view name = given;
    if (name.empty()) return complain(given, "is empty");
    if (name.front() == '/') return complain(given, "is absolute");
    for (const char c : name)
        if (!is_plain(c)) return complain(given, "has characters other than printable ASCII");
    while (name.starts_with("./")) name.remove_prefix(2);
    if (name.ends_with('/')) name.remove_suffix(1);
    if (name == ".") name = {};
    if (name.size() > max_file_name) return complain(given, "is longer than 255 bytes");
    clean = name;
    while (!name.empty()) {
        const size_t slash = name.find('/');
        const std::string_view part = name.substr(0, slash);
        if (part == "..") return complain(given, "leads out of the package");
        if (part.empty() || part == ".") return complain(given, "has an empty part");
        if (slash == std::string_view::npos) break;
        name.remove_prefix(slash + 1);
        if (name.empty()) return complain(given, "has an empty part");
    }
    return {};
}

} // namespace xtc::nrt
