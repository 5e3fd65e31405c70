#include "faithful/study/arm.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

void check_each_once(const std::string& place, const std::vector<std::string>& names) {
  if (names.empty()) reject({{place}, "at least one name", "none"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      reject({{place}, "each name once", quote(names[i]) + " twice"});
  }
}

void check_encoding(const std::string& name) {
  std::vector<std::string> known;
  for (const CatalogEntry& entry : encoding_catalog()) known.push_back(entry.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    reject({{"--encodings"}, "the name of an encoding", quote(name), suggest(name, known)});
}

void check_scale(const std::string& place, const std::string& scale) {
  if (scale != kDecaying) parse_scale(scale, place, kDecaying);
}

void check_no_arm_twice(const std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(to_string(arm));
  check_each_once("--encodings", names);
}

}  // namespace

std::string to_string(const Arm& arm) {
  std::string name = arm.encoding;
  if (arm.scale != "as-defined") name += " " + arm.scale;
  return arm.again ? name + " again" : name;
}

bool has_scale(const std::string& encoding) {
  return catalog_entry(encoding).kind == EncodingKind::kAdditive && encoding != "learned";
}

std::vector<Arm> make_arms(const std::vector<std::string>& encodings, const std::vector<std::string>& scales) {
  check_each_once("--encodings", encodings);
  check_each_once("--scale", scales);
  for (const std::string& scale : scales) check_scale("--scale", scale);
  std::vector<Arm> arms;
  for (const std::string& said : encodings) {
    const std::size_t colon = said.find(':');
    const std::string encoding = said.substr(0, colon);
    check_encoding(encoding);
    if (colon != std::string::npos) {
      const std::string scale = said.substr(colon + 1);
      check_scale("--encodings", scale);
      if (!has_scale(encoding)) reject({{"--encodings"}, encoding + " without a scale", quote(said)});
      arms.push_back({encoding, scale});
    } else if (!has_scale(encoding)) {
      arms.push_back({encoding});
    } else {
      for (const std::string& scale : scales) arms.push_back({encoding, scale});
    }
  }
  check_no_arm_twice(arms);
  return arms;
}

ModelConfig with_arm(ModelConfig model, const Arm& arm) {
  model.encoding = arm.encoding;
  model.scale = arm.scale;
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
  if (is(std::sqrt(static_cast<double>(config.width) / 2))) return "matched";
  return fmt::format("norm {:.3g}", norm);
}

}  // namespace faithful
