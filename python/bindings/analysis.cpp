#include "faithful/analysis/analysis.h"

#include "core.h"
#include "encoding.h"
#include "faithful/analysis/analysis_json.h"

namespace faithful::python {

namespace {

AnalysisOptions analysis_options_of(const py::dict& said, ThreadPool& pool) {
  AnalysisOptions options{.pool = &pool};
  take(said, "sigma_bins", options.sigma_bins);
  take(said, "at", options.at);
  take(said, "seed", options.faithfulness.seed);
  return options;
}

// Every number as JSON, and what the figures show as arrays.
py::dict result(Analysis found) {
  std::vector<Analysis> all;
  all.push_back(std::move(found));
  Analysis& analysis = all.front();
  py::dict out;
  std::string json;
  {
    const py::gil_scoped_release free;
    json = dump_json(analysis_json(all).items().front());
  }
  py::list curves;
  for (DeltaCurve& curve : analysis.curves)
    curves.append(py::make_tuple(curve.position, owning_array(std::move(curve.curve))));
  out["json"] = json;
  out["curves"] = curves;
  out["table"] = owning_array(std::move(analysis.table));
  out["cosines"] = owning_array(std::move(analysis.cosines));
  return out;
}

py::dict analyze_name(const std::string& name, const py::dict& encoding, const py::dict& said, std::size_t threads) {
  const EncodingOptions encoding_options = encoding_options_of(encoding);
  ThreadPool pool(threads);
  const AnalysisOptions options = analysis_options_of(said, pool);
  Analysis analysis;
  {
    const py::gil_scoped_release free;
    analysis = analyze(name, encoding_options, options);
  }
  return result(std::move(analysis));
}

py::dict analyze_array(const std::string& name, const Dense<double>& array, const py::dict& said, std::size_t threads) {
  const Matrix<double> table = matrix_of(array);
  ThreadPool pool(threads);
  const AnalysisOptions options = analysis_options_of(said, pool);
  Analysis analysis;
  {
    const py::gil_scoped_release free;
    analysis = analyze_table(name, table, options);
  }
  return result(std::move(analysis));
}

}  // namespace

void bind_analysis(py::module_& module) {
  module.def("analyze", &analyze_name);
  module.def("analyze_table", &analyze_array);
}

}  // namespace faithful::python
