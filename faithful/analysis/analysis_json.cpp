#include "faithful/analysis/analysis_json.h"

#include <optional>

namespace faithful {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

template <class T, class Convert>
Json per_precision(const PerPrecision<T>& values, Convert convert) {
  Json object = Json::object();
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) object.set(to_string(kPrecisions[i]), convert(values[i]));
  return object;
}

Json spectrum_json(const Spectrum& spectrum) {
  return Json::Object{{"g", numbers(spectrum.g)},
                      {"normalizer", spectrum.normalizer},
                      {"lowest_bin_share", spectrum.lowest_bin_share},
                      {"crossover", or_null(spectrum.crossover)},
                      {"smoothed", spectrum.smoothed},
                      {"sigma_bins", or_null(spectrum.sigma_bins)},
                      {"from_periodogram", spectrum.from_periodogram}};
}

void set_shape(Json& object, const CurveShape& shape) {
  object.set("peak", shape.peak)
      .set("peak_at", shape.peak_at)
      .set("fwhm", or_null(shape.fwhm))
      .set("width10", or_null(shape.width10))
      .set("l2_error", shape.l2_error);
}

Json reconstruction_json(const Reconstruction& one) {
  Json object = Json::Object{{"position", one.position},
                             {"weighting", to_string(one.weighting)},
                             {"smoothed", one.smoothed},
                             {"sigma_bins", or_null(one.sigma_bins)}};
  set_shape(object, one.shape);
  return object;
}

// The same fields; weights and kernel have no meaning here.
Json ridge_json(const RidgeInversion& one) {
  Json object = Json::Object{{"position", one.position},
                             {"weighting", nullptr},
                             {"smoothed", nullptr},
                             {"sigma_bins", nullptr},
                             {"lambda", one.lambda}};
  set_shape(object, one.shape);
  return object;
}

Json noise_json(const std::optional<NoiseDecoding>& noise) {
  if (!noise) return {};
  return Json::Object{{"sigma", numbers(noise->sigmas)},
                      {"error_rate", numbers(noise->error_rates)},
                      {"mean_absolute_error", numbers(noise->mean_absolute_errors)}};
}

Json faithfulness_json(const Faithfulness& f) {
  Json object = Json::object();
  object.set("min_distance", or_null(f.min_distance));
  object.set("condition", f.singular ? Json("> 1/eps") : or_null(f.condition));
  object.set("stable_rank", or_null(f.stable_rank)).set("effective_rank", or_null(f.effective_rank));
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    object.set("rank_" + std::string(to_string(kPrecisions[i])), or_null(f.rank[i]));
  }
  object.set("coherence", or_null(f.coherence)).set("gram_deviation", or_null(f.gram_deviation));
  object.set("collisions", per_precision(f.collisions, [](const Collisions& one) { return Json(one.pairs); }));
  object.set("first_collision", f.collision_search_limit
                                    ? per_precision(f.first_collision, [](const auto& one) { return or_null(one); })
                                    : Json());
  object.set("first_collision_searched_to", or_null(f.collision_search_limit));
  object.set("spearman", or_null(f.spearman)).set("pearson", or_null(f.pearson));
  object.set("monotone_share", or_null(f.monotone_share));
  object.set("shift_defect", or_null(f.shift_defect));
  object.set("noise_sigma10", f.noise ? Json(f.noise->sigma10) : Json());
  object.set("distinct_offsets", or_null(f.distinct_offsets)).set("sign_seen", or_null(f.sign_seen));
  object.set("noise", noise_json(f.noise)).set("singular_values", numbers(f.singular_values));
  return object;
}

Json one_json(const Analysis& analysis) {
  Json reconstruction = Json::array(), ridge = Json::array(), findings = Json::array();
  for (const Reconstruction& one : analysis.reconstruction) reconstruction.push_back(reconstruction_json(one));
  for (const RidgeInversion& one : analysis.ridge) ridge.push_back(ridge_json(one));
  for (const Finding& one : analysis.findings) {
    findings.push_back(Json::Object{{"weight", to_string(one.weight)}, {"what", one.what}, {"text", one.text}});
  }
  return Json::Object{{"name", analysis.name},
                      {"kind", analysis.kind ? Json(to_string(*analysis.kind)) : Json("table")},
                      {"length", analysis.length},
                      {"dim", analysis.dim},
                      {"rms_norm", analysis.rms_norm},
                      {"spectrum", analysis.spectrum ? spectrum_json(*analysis.spectrum) : Json()},
                      {"reconstruction", analysis.spectrum ? reconstruction : Json()},
                      {"ridge", analysis.rms_norm > 0 ? ridge : Json()},
                      {"faithfulness", faithfulness_json(analysis.faithfulness)},
                      {"note", analysis.note.empty() ? Json() : Json(analysis.note)},
                      {"findings", findings}};
}

}  // namespace

Json analysis_json(const std::vector<Analysis>& analyses) {
  Json all = Json::array();
  for (const Analysis& one : analyses) all.push_back(one_json(one));
  return all;
}

}  // namespace faithful
