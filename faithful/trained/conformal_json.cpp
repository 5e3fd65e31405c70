#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/conformal.h"
#include "faithful/trained/config_json_internal.h"
#include "faithful/trained/conformal_json_internal.h"

namespace faithful::trained {

namespace {

constexpr const char* kMethod = "LAC";

}  // namespace

Json conformal_json(const ConformalScores& conformal) {
  Json scores = Json::array();
  for (const float score : conformal.scores) scores.push_back(static_cast<double>(score));
  return Json::Object{{"method", conformal.method}, {"count", conformal.count}, {"scores", scores}};
}

void check_conformal(const ConformalScores& conformal, const std::string& place) {
  if (conformal.method != kMethod)
    reject({{place + ".method"}, "a method that this version knows (LAC)", quote(conformal.method)});
  const std::size_t kept = std::min(conformal.count, kMostConformalScores);
  if (conformal.count == 0) reject({{place + ".count"}, "at least 1", "0"});
  if (conformal.scores.size() != kept)
    reject({{place + ".scores"}, fmt::format("{} numbers", kept), fmt::format("{}", conformal.scores.size())});
  for (const float score : conformal.scores)
    if (!(score >= 0 && score <= 1)) reject({{place + ".scores"}, "numbers from 0 to 1", fmt::format("{}", score)});
  if (!std::ranges::is_sorted(conformal.scores)) reject({{place + ".scores"}, "rising numbers", "one that falls"});
}

ConformalScores parse_conformal(const Json& json, const std::string& place) {
  ConformalScores conformal{.scores = {},
                            .count = parse_count(json["count"], place + ".count"),
                            .method = json["method"].string(place + ".method")};
  constexpr std::size_t kMost = std::size_t{1} << 50;  // counts that a double holds
  if (conformal.count > kMost)
    reject({{place + ".count"}, fmt::format("at most {}", kMost), fmt::format("{}", conformal.count)});
  for (const Json& score : json["scores"].items(place + ".scores"))
    conformal.scores.push_back(static_cast<float>(score.number(place + ".scores")));
  check_conformal(conformal, place);
  return conformal;
}

}  // namespace faithful::trained
