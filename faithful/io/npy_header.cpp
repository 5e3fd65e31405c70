#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/io/npy.h"

namespace faithful {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 64;  // NumPy's own limit
constexpr std::size_t kLongestNpyHeader = std::size_t{1} << 16;
constexpr std::size_t kMostElements = std::size_t{1} << 60;

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Reads the Python dictionary of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted_word("a quoted key");
      expect(':');
      if (key == "descr" && !has_type) {
        header.type = type();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = truth();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = shape();
        has_shape = true;
      } else {
        fail("the keys descr, fortran_order and shape once each", quote(key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) fail("nothing after the dictionary", quote(rest_));
    if (!has_type || !has_order || !has_shape) fail("the keys descr, fortran_order and shape", "fewer");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted, const std::string& found, const std::string& hint = {}) const {
    reject({{name_}, fmt::format("{} in the header", wanted), found, hint});
  }

  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }

  bool take(char c) {
    skip_spaces();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(quote(std::string(1, c)), quote(rest_));
  }

  std::string_view quoted_word(const char* wanted) {
    skip_spaces();
    const char mark = rest_.empty() ? '\0' : rest_[0];
    const std::size_t close = mark == '\'' || mark == '"' ? rest_.find(mark, 1) : std::string_view::npos;
    if (close == std::string_view::npos) fail(wanted, quote(rest_));
    const std::string_view word = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    return word;
  }

  NpyType type() {
    constexpr const char* kHint = "save it as plain numbers, such as array.astype('float32')";
    skip_spaces();
    if (rest_.starts_with('[')) fail("numbers of one type", "a structured array", kHint);
    const std::string_view text = quoted_word("a quoted type");
    if (text == "|O" || text == "O") fail("numbers", "Python objects (a pickle)", kHint);
    const auto unknown = [&] { fail("a type of number (f2, f4, f8, i1-i8, u1-u8, b1)", quote(text), kHint); };
    if (text.size() != 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos) unknown();
    NpyType type{text[1], static_cast<std::size_t>(text[2] - '0'), text[0] == '>'};
    const std::string_view sizes = type.kind == 'f' ? "248" : type.kind == 'b' ? "1" : "1248";
    if (std::string_view("fiub").find(type.kind) == std::string_view::npos) unknown();
    if (sizes.find(text[2]) == std::string_view::npos) unknown();
    if (type.size == 1) type.big_endian = false;
    return type;
  }

  bool truth() {
    skip_spaces();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(std::strlen(word));
      return value;
    }
    fail("True or False", quote(rest_));
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> lengths;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const auto length = parse_number<std::size_t>(rest_.substr(0, digits));
      if (!length) fail("a length of the shape", quote(rest_));
      if (lengths.size() == kMostDimensions) fail(fmt::format("at most {} dimensions", kMostDimensions), "more");
      lengths.push_back(*length);
      rest_.remove_prefix(digits);
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote 3L
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return lengths;
  }

  std::string_view rest_;
  std::string name_;
};

// The product of the lengths; nothing where it, or the product of those that are not zero, is absurd.
std::optional<std::size_t> checked_count(std::span<const std::size_t> shape) {
  std::size_t product = 1;
  bool empty = false;
  for (const std::size_t length : shape) {
    if (length == 0) {
      empty = true;
    } else if (length > kMostElements / product) {
      return std::nullopt;
    } else {
      product *= length;
    }
  }
  return empty ? 0 : product;
}

}  // namespace

std::size_t NpyHeader::count() const {
  return checked_count(shape).value_or(0);
}

std::string to_string(const NpyType& type) {
  const char order = type.size == 1 ? '|' : type.big_endian ? '>' : '<';
  return fmt::format("{}{}{}", order, type.kind, type.size);
}

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyHeader parse_npy_header(std::string_view file, const std::string& name) {
  if (!file.starts_with(kMagic)) {
    reject({{name}, "a .npy file", file.empty() ? "an empty file" : "other bytes at its start"});
  }
  if (file.size() < kMagic.size() + 2) reject({{name}, "a whole .npy header", "a truncated file"});
  const auto version = static_cast<unsigned char>(file[kMagic.size()]);
  const auto minor = static_cast<unsigned char>(file[kMagic.size() + 1]);
  if (version < 1 || version > 3 || minor != 0) {
    reject({{name}, ".npy format 1.0, 2.0 or 3.0", fmt::format("{}.{}", version, minor)});
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t text_begin = kMagic.size() + 2 + length_bytes;
  if (file.size() < text_begin) reject({{name}, "a whole .npy header", "a truncated file"});
  const std::size_t length = little_endian(file.substr(kMagic.size() + 2, length_bytes));
  if (length > kLongestNpyHeader) {
    reject({{name}, fmt::format("a header of at most {} bytes", kLongestNpyHeader), fmt::format("{}", length)});
  }
  if (file.size() - text_begin < length) reject({{name}, "a whole .npy header", "a truncated file"});

  NpyHeader header = HeaderParser(file.substr(text_begin, length), name).parse();
  header.data_offset = text_begin + length;
  const std::optional<std::size_t> count = checked_count(header.shape);
  if (!count) reject({{name}, "a shape that a file can hold", shape_text(header.shape)});
  const std::size_t have = file.size() - header.data_offset;
  if (*count * header.type.size != have) {
    reject({{name},
            fmt::format("{} bytes of data for shape {} of {}", *count * header.type.size, shape_text(header.shape),
                        to_string(header.type)),
            fmt::format("{}", have)});
  }
  return header;
}

std::string npy_header_bytes(const NpyView& array) {
  constexpr std::size_t kAlignment = 64, kFixed = 10;  // the data begins at a multiple of 64; magic, version, length
  constexpr std::size_t kGrowth = 21;  // NumPy leaves room for the first length to grow to so many digits
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", to_string(array.type),
                                 shape_text(array.shape));
  if (!array.shape.empty()) text.append(kGrowth - std::min(kGrowth, fmt::formatted_size("{}", array.shape[0])), ' ');
  const std::size_t used = kFixed + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

}  // namespace faithful
