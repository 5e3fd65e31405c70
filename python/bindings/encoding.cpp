#include "encoding.h"

#include "core.h"
#include "faithful/encoding/bias.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/relative.h"
#include "faithful/encoding/rotary.h"

namespace faithful::python {

EncodingOptions encoding_options_of(const py::dict& said) {
  EncodingOptions options;
  take(said, "length", options.length);
  take(said, "dim", options.dim);
  take(said, "heads", options.heads);
  take(said, "rho", options.rho);
  take(said, "period", options.period);
  take(said, "seed", options.seed);
  take(said, "clip", options.clip);
  take(said, "time_dim", options.time_dim);
  take(said, "positions", options.positions);
  take(said, "first_position", options.sinusoidal.first_position);
  take(said, "tupe_relative", options.tupe_relative);
  take(said, "parameters", options.parameters);
  std::string scale = "as-defined", layout = "interleaved", exponent = "2i/d";
  take(said, "scale", scale);
  take(said, "layout", layout);
  take(said, "exponent", exponent);
  options.scale = parse_scale(scale);
  if (layout == "halves") options.sinusoidal.layout = SinusoidalConvention::Layout::kHalves;
  if (exponent != "2i/d") options.sinusoidal.step = SinusoidalConvention::Step::kOneOverHalfMinusOne;
  return options;
}

namespace {

py::list catalog() {
  py::list entries;
  for (const CatalogEntry& entry : encoding_catalog()) {
    py::dict parameters;
    for (const CatalogParameter& one : entry.parameters)
      parameters[one.option.c_str()] = py::make_tuple(one.default_value, one.meaning);
    py::dict out;
    out["name"] = entry.name;
    out["kind"] = std::string(to_string(entry.kind));
    out["description"] = entry.description;
    out["enters"] = entry.enters;
    out["parameters"] = parameters;
    out["learned"] = entry.learned();
    out["start"] = entry.start;
    out["real_positions"] = entry.real_positions;
    out["citation"] = entry.citation;
    entries.append(out);
  }
  return entries;
}

// (values, frequencies); values as float where asked, as the program writes them.
py::tuple make(const std::string& name, const py::dict& said, bool single) {
  const EncodingOptions options = encoding_options_of(said);
  Encoding encoding;
  std::vector<float> narrow;
  {
    const py::gil_scoped_release free;
    encoding = make_encoding(name, options);
    if (single) narrow.assign(encoding.values.begin(), encoding.values.end());
  }
  const py::array values = single ? py::array(owning_array(std::move(narrow), encoding.shape))
                                  : py::array(owning_array(std::move(encoding.values), encoding.shape));
  return py::make_tuple(values, owning_array(std::move(encoding.frequencies)));
}

py::array_t<std::int64_t> decode(const Dense<double>& codes, std::size_t period, double factor) {
  const Matrix<double> table = matrix_of(codes);
  std::vector<std::size_t> positions;
  {
    const py::gil_scoped_release free;
    positions = decode_dft(table, period, factor, "codes");
  }
  return owning_array(std::vector<std::int64_t>(positions.begin(), positions.end()));
}

// [2 length - 1]: of the offsets j - i = -(length - 1) .. length - 1.
template <class RowOf>
py::array_t<std::int64_t> rows_of_offsets(std::ptrdiff_t length, const RowOf& row_of) {
  std::vector<std::int64_t> rows;
  for (std::ptrdiff_t offset = 1 - length; offset < length; ++offset)
    rows.push_back(static_cast<std::int64_t>(row_of(offset)));
  return owning_array(std::move(rows));
}

py::array_t<double> rotate(const Dense<double>& vectors, const Dense<double>& rows, bool halves) {
  const auto count = static_cast<std::size_t>(vectors.shape(0)), width = static_cast<std::size_t>(vectors.shape(1));
  py::array_t<double> out({count, width});
  std::copy_n(vectors.data(), vectors.size(), out.mutable_data());
  for (std::size_t s = 0; s < count; ++s) {
    rotate_pairs({out.mutable_data() + s * width, width}, {rows.data() + s * width, width},
                 halves ? RotaryPairing::kHalves : RotaryPairing::kInterleaved);
  }
  return out;
}

}  // namespace

void bind_encoding(py::module_& module) {
  module.def("encodings", &catalog);
  module.def("encode", &make);
  module.def("decode", &decode);
  module.def("start_parameters", [](const std::string& name, const py::dict& said) {
    return owning_array(start_parameters(name, encoding_options_of(said)));
  });
  module.def("alibi_slopes", [](std::size_t heads) { return owning_array(alibi_slopes(heads)); });
  module.def("t5_buckets", [](std::ptrdiff_t length) { return rows_of_offsets(length, &t5_bucket); });
  module.def("shaw_rows", [](std::ptrdiff_t length, std::size_t clip) {
    return rows_of_offsets(length, [clip](std::ptrdiff_t offset) { return shaw_row(offset, clip); });
  });
  module.def("rotate_pairs", &rotate);
}

}  // namespace faithful::python
