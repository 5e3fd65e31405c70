#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

#include <locale.h>

#include "faithful/io/csv_number_internal.h"

namespace faithful::csv {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 9> kMissing = {"", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-"};
  return std::any_of(kMissing.begin(), kMissing.end(), [&](std::string_view word) {
    return std::equal(word.begin(), word.end(), text.begin(), text.end(), [](char a, char b) { return a == lower(b); });
  });
}

// strtod in the C locale, whatever the program's: only asked where from_chars does not say which way it left the range.
double parse_out_of_range(const std::string& text) {
  static const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strtod_l(text.c_str(), nullptr, c_locale);
}

}  // namespace

template <class T>
Cell parse_cell(std::string_view text, char decimal, T& value) {
  text = trimmed(text);
  std::string with_point;
  if (decimal != '.') {
    if (text.find('.') != std::string_view::npos) return Cell::kText;  // 1.234 may have meant 1234
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), decimal, '.');
    text = with_point;
  }
  if (is_missing(text)) return Cell::kMissing;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return Cell::kText;
  if (error == std::errc::result_out_of_range) {
    const double wide = parse_out_of_range(std::string(text));
    if (std::abs(wide) > 1) return Cell::kTooLarge;
    value = static_cast<T>(wide);
  }
  return std::isnan(value) ? Cell::kMissing : Cell::kNumber;
}

template Cell parse_cell<float>(std::string_view, char, float&);
template Cell parse_cell<double>(std::string_view, char, double&);

}  // namespace faithful::csv
