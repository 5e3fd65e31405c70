#include "faithful/study/statistics.h"

namespace faithful {

namespace {

Json estimate_json(const MeanEstimate& estimate) {
  return Json::Object{{"mean", estimate.summary.mean},
                      {"sd", estimate.summary.deviation},
                      {"low", estimate.interval.low},
                      {"high", estimate.interval.high},
                      {"seeds", estimate.summary.count}};
}

Json comparison_json(const Comparison& one) {
  Json differences = Json::object();
  for (const auto& [seed, difference] : one.differences) differences.set(std::to_string(seed), difference);
  return Json::Object{{"data", one.data},
                      {"split", one.split},
                      {"arm", to_string(one.arm)},
                      {"reference", to_string(one.reference)},
                      {"measure", one.measure},
                      {"differences", differences},
                      {"paired", estimate_json(one.paired)},
                      {"paired_p", one.paired.p},
                      {"corrected", estimate_json(one.corrected)},
                      {"corrected_p", one.corrected.p},
                      {"sign_flip_p", one.flip.p},
                      {"holm_p", one.holm_p ? Json(*one.holm_p) : Json()},
                      {"exploratory", one.exploratory()},
                      {"verdict", verdict(one)}};
}

Json row_json(const StudyRow& row, const std::vector<std::string>& names) {
  Json measures = Json::object();
  for (const std::string& name : names)
    if (const auto estimate = row.estimate(name)) measures.set(name, estimate_json(*estimate));
  return measures;
}

Json group_json(const StudyGroup& group) {
  Json arms = Json::array(), others = Json::object();
  for (const Arm& arm : group.arms) {
    const StudyRun& first = *group.runs_of(arm).front();
    arms.push_back(Json::Object{{"name", to_string(arm)},
                                {"encoding", arm.encoding},
                                {"scale", arm.scale},
                                {"weights", first.weights},
                                {"rate", first.rate},
                                {"norm_ratio", first.norm_ratio},
                                {"measures", row_json(group.row_of(arm), group.measures())}});
  }
  for (const StudyRow& row : group.baselines()) others.set(row.name, row_json(row, group.measures()));
  return Json::Object{{"data", group.data},         {"split", group.split}, {"leaks", group.leaks()},
                      {"settings", group.settings}, {"arms", arms},         {"others", others}};
}

}  // namespace

Json to_json(const StudyReport& report) {
  Json groups = Json::array(), comparisons = Json::array(), gap = Json::array();
  for (const StudyGroup& group : report.groups) groups.push_back(group_json(group));
  for (const auto* list : {&report.comparisons, &report.by_area})
    for (const Comparison& one : *list) comparisons.push_back(comparison_json(one));
  for (const StudyRun& run : report.gap.runs)
    gap.push_back(Json::Object{{"arm", to_string(run.arm)}, {"seed", run.seed}, {"accuracy", to_json(run.scores)}});
  return Json::Object{{"groups", groups}, {"comparisons", comparisons}, {"gap_probe", gap}};
}

}  // namespace faithful
