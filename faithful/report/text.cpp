#include "faithful/report/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/base/utf8.h"
#include "faithful/io/csv.h"

namespace faithful {

std::string csv_words(std::string_view text) {
  const std::string shown = printable(text);
  const bool formula = !shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos;
  return csv_cell(formula && !parse_number<double>(shown) ? "'" + shown : shown);
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
  for (const char c : printable_lines(text)) {
    constexpr std::string_view kSpecial = "&<>\"'";
    constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const std::size_t special = kSpecial.find(c);
    if (special < kSpecial.size()) {
      out += kEntities[special];
    } else {
      out += c;
    }
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    text.remove_prefix(std::max<std::size_t>(length, 1));
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
