#include "faithful/report/text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

namespace faithful {

namespace {

// The code point that begins at text[at], and `at` moved behind it; nothing (and one byte further) where the bytes
// are not valid UTF-8: cut short, longer than needed, a surrogate or beyond 0x10FFFF.
std::optional<std::uint32_t> next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at++);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || at + more > text.size()) return std::nullopt;
  std::uint32_t code = first & (0x3Fu >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(at + i) & 0x3F);
  }
  const std::uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
  at += more;
  return code;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (next_code_point(text, at)) {
      out += text.substr(begin, at - begin);
    } else {
      out += '?';
    }
  }
  return out;
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);  // rounds first: 9.9996 -> 1.000e+01
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent > 6) {
    return fmt::format("{}e{}", scientific.substr(0, scientific.find('e')), exponent);
  }
  return fmt::format("{:.{}f}", value, exponent >= digits ? 0 : digits - 1 - exponent);
}

std::string number_text(const std::optional<double>& value, int digits) {
  return value ? number_text(*value, digits) : "–";
}

std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string escape_csv(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at).value_or('?');
    const bool combining = (code >= 0x300 && code < 0x370) || (code >= 0x20D0 && code < 0x2100) || code == 0x200D;
    const bool wide = (code >= 0x1100 && code < 0x1160) || (code >= 0x2E80 && code < 0xA4D0) ||
                      (code >= 0xAC00 && code < 0xD7A4) || (code >= 0xF900 && code < 0xFB00) ||
                      (code >= 0xFF00 && code < 0xFF61) || (code >= 0x1F300 && code < 0x1FB00) ||
                      (code >= 0x20000 && code < 0x40000);
    width += combining ? 0 : wide ? 2 : 1;
  }
  return width;
}

}  // namespace faithful
