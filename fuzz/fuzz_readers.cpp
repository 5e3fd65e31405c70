// Readers that have two ways to the same result. A file, a pipe and bytes in memory give the same data or the same
// complaint; so do a table in pieces and as a whole; the fast parser of numbers gives the bits of the slow one, and that
// those of the C library. The first byte chooses the reader, the second its options.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/data/hdf5_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/csv.h"
#include "faithful/io/csv_number_internal.h"
#include "faithful/io/npy.h"
#include "faithful/io/safetensors.h"

namespace {

using namespace faithful;

[[noreturn]] void fail(std::string_view what, const std::string& found, const std::string& wanted) {
  fmt::print(stderr, "{}\n--- found\n{}\n--- wanted\n{}\n", what, found, wanted);
  std::abort();
}

std::string text_of(const Dataset& dataset) {
  std::string text =
      fmt::format("{} {} {}", fmt::join(dataset.channels, "|"), fmt::join(dataset.classes, "|"), dataset.rate);
  for (const Series& series : dataset.series) {
    text += fmt::format("\n{} {} {}:", series.name, to_string(series.part), series.label);
    for (const float value : series.values.values) text += fmt::format(" {}", std::isnan(value) ? NAN : value);
    text += fmt::format("; {}; {}", fmt::join(series.times, " "), fmt::join(series.labels, " "));
  }
  return text;
}

// What `read` gives as one text: its result or its complaint.
template <class Read>
std::string outcome(const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    return error.what();
  }
}

// The bytes under a name that can be opened, the same for all of them: so complaints can be compared.
constexpr int kDescriptor = 100;
const std::string kPath = fmt::format("/proc/self/fd/{}", kDescriptor);

void offer_file(std::string_view bytes) {
  static const int file = ::memfd_create("fuzz", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, bytes.data(), bytes.size(), 0) < 0) std::abort();
  ::dup2(file, kDescriptor);
}

void offer_pipe(std::string_view bytes) {  // it holds 64 KB
  int ends[2];
  if (::pipe(ends) != 0 || ::write(ends[1], bytes.data(), bytes.size()) < 0) std::abort();
  ::close(ends[1]);
  ::dup2(ends[0], kDescriptor);
  ::close(ends[0]);
}

// `load` from a file and from a pipe against `parse` of the bytes.
template <class Load, class Parse>
void compare_sources(std::string_view bytes, const Load& load, const Parse& parse) {
  const std::string wanted = outcome(parse);
  offer_file(bytes);
  if (const std::string found = outcome(load); found != wanted) fail("file", found, wanted);
  if (bytes.empty()) return;
  offer_pipe(bytes);
  if (const std::string found = outcome(load); found != wanted) fail("pipe", found, wanted);
}

// All cells as text.
std::string cells_of(const CsvFile& file) {
  const CsvTable<float> table = file.load<float>(std::vector<CsvColumn>(file.columns(), CsvColumn::kText));
  std::string text = fmt::format("{}\n", fmt::join(file.names(), "|"));
  for (std::size_t r = 0; r < table.rows(); ++r) {
    text += fmt::format("{}", table.lines[r]);
    for (const CsvText& column : table.texts) text += fmt::format("|{}", column[r]);
    text += '\n';
  }
  return text;
}

void try_table(std::string_view bytes, unsigned how) {
  static ThreadPool one(1), two(2);
  CsvOptions options{.most_inflated = 1 << 16, .block_bytes = std::size_t{1} << (how & 15), .pool = &one};
  CsvOptions parallel = options;  // the file itself is read in pieces, side by side
  parallel.pool = &two;
  parallel.chunk_bytes = std::size_t{1} << (how & 7);
  compare_sources(
      bytes, [&] { return cells_of(CsvFile(kPath, parallel)); },
      [&] { return cells_of(CsvFile(bytes, kPath, options)); });
}

void try_csv(std::string_view bytes, unsigned how) {
  ReadOptions options;
  options.missing = (how & 1) != 0 ? Missing::kKeep : Missing::kError;
  if (how & 2) options.time = "1";
  if (how & 4) options.label = "l";
  if (how & 8) options.decimal = ',';
  if (how & 16) options.header = Header::kYes;
  compare_sources(
      bytes, [&] { return text_of(data::load_csv(kPath, options)); },
      [&] { return text_of(data::parse_csv(bytes, kPath, options)); });
  offer_file(bytes);  // in pieces
  const std::string whole = outcome([&] { return text_of(data::load_csv(kPath, options)); });
  const std::string pieces = outcome([&] {
    Dataset all;
    data::stream_csv(kPath, options, [&](Dataset& piece) {
      if (all.series.empty()) return (void)(all = std::move(piece));
      Series &to = all.series[0], &from = piece.series[0];
      to.values.rows += from.values.rows;
      to.values.values.insert(to.values.values.end(), from.values.values.begin(), from.values.values.end());
      to.times.insert(to.times.end(), from.times.begin(), from.times.end());
      to.labels.insert(to.labels.end(), from.labels.begin(), from.labels.end());
    });
    return text_of(all);
  });
  if (pieces != whole) fail("pieces of a table", pieces, whole);
}

void try_text(std::string_view bytes, bool is_arff) {
  if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\xEF\xBB\xBF")) return;  // parse_ takes the text itself
  const ReadOptions options{.missing = Missing::kKeep};
  const auto load = is_arff ? data::load_arff : data::load_ts;
  const auto parse = is_arff ? data::parse_arff : data::parse_ts;
  compare_sources(
      bytes, [&] { return text_of(load(kPath, options)); }, [&] { return text_of(parse(bytes, kPath, options)); });
}

void try_npz(std::string_view bytes) {
  const ReadOptions options{.missing = Missing::kKeep};
  compare_sources(
      bytes, [&] { return text_of(data::load_npz(kPath, options)); },
      [&] { return text_of(data::parse_npz(bytes, kPath, options)); });
}

// Conversion and order of the elements, against one element after the other.
double naive_element(const NpyType& type, const char* at) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < type.size; ++i)
    bits |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(at[i]))
            << 8 * (type.big_endian ? type.size - 1 - i : i);
  if (type.kind == 'f' && type.size == 8) return std::bit_cast<double>(bits);
  if (type.kind == 'f' && type.size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.kind == 'f') {  // half
    const auto exponent = static_cast<int>(bits >> 10 & 31);
    const auto fraction = static_cast<double>(bits & 1023);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
  }
  if (type.kind == 'b') return bits != 0;
  if (type.kind == 'u') return static_cast<double>(bits);
  const auto unused = static_cast<int>(64 - 8 * type.size);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

void try_npy(std::string_view bytes) {
  const auto text = [](const NpyArray& array) {
    return fmt::format("{} {} {}", shape_text(array.shape()), array.fortran_order(),
                       fmt::join(array.to_vector<double>(), " "));
  };
  compare_sources(
      bytes, [&] { return text(load_npy(kPath)); }, [&] { return text(NpyArray(bytes, nullptr, kPath)); });
  try {
    const NpyArray array(bytes, nullptr, "x.npy");
    const std::size_t offset = parse_npy_header(bytes, "x.npy").data_offset;
    const std::vector<double> doubles = array.to_vector<double>();
    const std::vector<float> floats = array.to_vector<float>();
    std::vector<std::size_t> index(array.shape().size());  // of the element, the last running fastest
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      std::size_t place = 0;
      for (std::size_t a = index.size(); a-- > 0;) place = place * array.shape()[a] + index[a];
      const double wanted =
          naive_element(array.type(), bytes.data() + offset + (array.fortran_order() ? place : i) * array.type().size);
      const bool same = doubles[i] == wanted || (std::isnan(doubles[i]) && std::isnan(wanted));
      if (!same) fail("element", std::to_string(doubles[i]), std::to_string(wanted));
      // A wide integer is rounded once to float, not by way of double.
      const bool once = array.type().kind == 'f' || array.type().size < 8;
      if (once && !std::isnan(wanted) && floats[i] != static_cast<float>(wanted))
        fail("float", std::to_string(floats[i]), std::to_string(wanted));
      for (std::size_t a = index.size(); a-- > 0;) {
        if (++index[a] < array.shape()[a]) break;
        index[a] = 0;
      }
    }
  } catch (const InputError&) {
  }
}

void try_safetensors(std::string_view bytes) {
  const auto text = [](const Safetensors& file) { return digest_of(file.entries(), file.metadata()); };
  compare_sources(
      bytes, [&] { return text(load_safetensors(kPath)); },
      [&] { return text(parse_safetensors(std::string(bytes), kPath)); });
}

// The same replies as one array and row by row.
void try_hdf5_replies(std::string_view bytes) {
  const auto replies = [&](bool by_rows) {
    std::string_view rest = bytes;
    const auto read = [&](void* into, std::size_t count) {
      if (count > rest.size()) return false;
      if (count > 0) std::memcpy(into, rest.data(), count);
      rest.remove_prefix(count);
      return true;
    };
    data::Hdf5Request table{.name = "dataset"};
    std::vector<std::size_t> shape;
    std::vector<float> values;
    if (by_rows) {
      table.take_shape = [&](const std::vector<std::size_t>& of) { shape = of; };
      table.take_row = [&](std::size_t, std::span<const float> row) {
        values.insert(values.end(), row.begin(), row.end());
      };
    }
    const auto arrays = data::read_hdf5_replies("x.h5", 1000, {{.name = "meta", .required = false}, table}, read);
    if (!by_rows) shape = arrays[1]->shape, values = arrays[1]->values;
    std::string text = fmt::format("{}:", fmt::join(shape, "x"));
    for (const float value : values) text += fmt::format(" {:08x}", std::bit_cast<std::uint32_t>(value));
    return text;
  };
  const std::string whole = outcome([&] { return replies(false); }), rows = outcome([&] { return replies(true); });
  if (rows != whole) fail("rows of HDF5", rows, whole);
}

template <class T>
void try_number(const std::string& text) {
  T fast = 0, exact = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const auto [exact_stop, error] = std::from_chars(begin, end, exact);
  for (const bool is_short : {false, true}) {
    const char* stop = is_short ? csv::parse_short(begin, end, fast) : csv::parse_plain(begin, end, fast);
    if (stop != nullptr && (error != std::errc() || stop != exact_stop || std::memcmp(&fast, &exact, sizeof(T)) != 0))
      fail(is_short ? "short number" : "plain number", fmt::format("{} of {}", fast, stop - begin),
           fmt::format("{} of {}", exact, exact_stop - begin));
  }
  if (error == std::errc::result_out_of_range || exact_stop == begin) return;
  const std::string digits(begin, exact_stop);
  const T c = sizeof(T) == sizeof(float) ? static_cast<T>(std::strtof(digits.c_str(), nullptr))
                                         : static_cast<T>(std::strtod(digits.c_str(), nullptr));
  if (c != exact && !std::isnan(exact)) fail("from_chars of " + digits, fmt::format("{}", exact), fmt::format("{}", c));
  T cell = 0;
  if (csv::parse_cell(digits, '.', cell) == csv::Cell::kNumber && cell != exact)
    fail("cell", fmt::format("{}", cell), fmt::format("{}", exact));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  set_limits({.inflated_freely = 1 << 20, .inflation = 1, .input_bytes = 1 << 20});
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  switch (data[0] % 8) {
    case 0:  // a data set takes blocks of MB, which AddressSanitizer makes slow
      (data[1] & 0xC0) == 0 ? try_csv(bytes, data[1]) : try_table(bytes, data[1]);
      break;
    case 1:
      try_text(bytes, false);
      break;
    case 2:
      try_text(bytes, true);
      break;
    case 3:
      try_npz(bytes);
      break;
    case 4:
      try_npy(bytes);
      break;
    case 5:
      try_safetensors(bytes);
      break;
    case 6:
      try_hdf5_replies(bytes);
      break;
    default:
      try_number<float>(std::string(bytes));
      try_number<double>(std::string(bytes));
  }
  return 0;
}
