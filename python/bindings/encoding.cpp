#include "encoding.h"

#include "core.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/spectral.h"
#include "model.h"

namespace faithful::python {

EncodingOptions encoding_options_of(const py::dict& said) {
  EncodingOptions options;
  take(said, "length", options.length);
  take(said, "dim", options.dim);
  take(said, "heads", options.heads);
  take(said, "seed", options.seed);
  take(said, "positions", options.positions);
  take(said, "parameters", options.parameters);
  std::string scale = "as-defined";
  take(said, "scale", scale);
  options.scale = parse_scale(scale);
  for (const Setting& setting : options.own.settings()) {
    const char* name = setting.field.name.c_str();
    if (said.contains(name)) set_text(setting, setting_text(said[name]));
  }
  return options;
}

namespace {

py::list catalog() {
  py::list entries;
  for (const CatalogEntry& entry : encoding_catalog()) {
    py::dict parameters;
    for (const CatalogParameter& one : parameters_of(entry))
      parameters[one.field.c_str()] = py::make_tuple(one.default_value, one.meaning);
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

// `said` is what encode was told: the positions of rows of `dft` or `spectral`.
py::array_t<std::int64_t> decode(const std::string& name, const Dense<double>& codes, const py::dict& said,
                                 double factor) {
  const Matrix<double> table = matrix_of(codes);
  const EncodingOptions options = encoding_options_of(said);
  std::vector<std::size_t> positions;
  {
    const py::gil_scoped_release free;
    if (name == "dft") {
      positions = decode_dft(table, options.own.whole("period"), factor, "codes");
    } else {
      check_encoding(name, options);
      SpectralShape shape = spectral_shape(options);
      shape.factor = factor;
      positions = decode_spectral(table, shape, "codes").positions;
    }
  }
  return owning_array(std::vector<std::int64_t>(positions.begin(), positions.end()));
}

}  // namespace

void bind_encoding(py::module_& module) {
  module.def("encodings", &catalog);
  module.def("encoding_settings", [] {
    OwnOptions own;
    std::vector<Setting> of_tables;
    const std::vector<Setting> all = own.settings();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (own_options()[i].in_table) of_tables.push_back(all[i]);
    }
    return describe_settings(of_tables);
  });
  module.def("encoding_name", [](const std::string& name) { return catalog_entry(name).name; });
  module.def("encode", &make);
  module.def("decode", &decode);
  module.def("start_parameters", [](const std::string& name, const py::dict& said) {
    return owning_array(start_parameters(name, encoding_options_of(said)));
  });
}

}  // namespace faithful::python
