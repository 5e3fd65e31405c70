#include "faithful/study/arm.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

void check_encoding(const std::string& name) {
  std::vector<std::string> known;
  for (const CatalogEntry& entry : encoding_catalog()) known.push_back(entry.name);
  if (std::ranges::find(known, name) == known.end())
    reject({{.field = "encodings"}, "the name of an encoding", quote(name), suggest(name, known)});
}

void check_scale(const char* field, const std::string& scale) {
  if (scale != kDecaying) parse_scale(scale, {.field = field}, kDecaying);
}

}  // namespace

std::string to_string(const Arm& arm) {
  std::string name = arm.encoding;
  if (arm.scale != "as-defined") name += " " + arm.scale;
  return arm.again ? name + " again" : name;
}

bool has_scale(const std::string& encoding) {
  return catalog_entry(encoding).kind == EncodingKind::kAdditive && !catalog_entry(encoding).scales_start;
}

std::vector<Arm> make_arms(const std::vector<std::string>& encodings, const std::vector<std::string>& scales) {
  std::vector<Arm> arms;
  const auto add = [&](const Arm& arm) {
    if (std::ranges::find(arms, arm) != arms.end())
      reject({{.field = "encodings"}, "each arm once", quote(to_string(arm)) + " twice"});
    arms.push_back(arm);
  };
  for (const std::string& scale : scales) check_scale("scale", scale);
  for (const std::string& name : encodings) {
    const std::size_t colon = name.find(':');
    const std::string encoding = current_name(name.substr(0, colon));
    check_encoding(encoding);
    if (colon != std::string::npos) {
      check_scale("encodings", name.substr(colon + 1));
      if (!has_scale(encoding))
        throw InputError(fmt::format("{}: {} has no scale, found {}", field_text("encodings"), encoding, quote(name)));
      add({encoding, name.substr(colon + 1)});
    } else if (!has_scale(encoding)) {
      add({encoding});
    } else {
      for (const std::string& scale : scales) add({encoding, scale});
    }
  }
  return arms;
}

ModelConfig with_arm(ModelConfig model, const Arm& arm) {
  model.position.encoding = arm.encoding;
  model.position.scale = arm.scale;
  if (arm.encoding == "none") model.position.source = PositionSource::kIndex;  // it has no positions, of any kind
  return model;
}

std::string norm_level(const ModelConfig& model, const Arm& arm) {
  if (arm.encoding == "none") return "none";
  const CatalogEntry& entry = catalog_entry(arm.encoding);
  if (!has_scale(arm.encoding) || entry.learned()) return "own";
  ModelConfig config = with_arm(model, arm);
  settle(config);
  const Encoding table = make_encoding(arm.encoding, encoding_options(config));
  double square = 0;
  for (const double value : table.values) square += value * value;
  const double norm = std::sqrt(square / static_cast<double>(config.steps()));
  const auto is = [&](double wanted) { return std::abs(norm / wanted - 1) < 0.01; };
  if (is(1)) return "unit";
  if (is(std::sqrt(static_cast<double>(config.body.width) / 2))) return "matched";
  return fmt::format("norm {:.3g}", norm);
}

}  // namespace faithful
