#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/base/utf8.h"
#include "faithful/data/audit.h"
#include "faithful/io/json.h"

namespace faithful {
namespace {

// 565059 -> 565,059
std::string count_text(std::size_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string range_text(std::size_t low, std::size_t middle, std::size_t high) {
  if (low == high) return fmt::format("of {} rows", count_text(low));
  return fmt::format("of {} to {} rows (median {})", count_text(low), count_text(high), count_text(middle));
}

// At most `most` names, and how many more there are.
std::string names_text(const std::vector<std::string>& names, std::size_t most = 8) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()));
  std::string text = printable(fmt::format("{}", fmt::join(names.begin(), end, ", ")));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

// Whether a channel looks like a label, by its name.
bool has_label_name(const std::string& name) {
  std::string small = name;
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kWords[] = {"label", "anomal", "fault", "target", "class"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

// The first names, and all that may be labels: those must not be hidden.
std::string channels_text(const PartAudit& part) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> first, labels;
  for (std::size_t c = 0; c < part.channels.size(); ++c) {
    const ChannelAudit& channel = part.channels[c];
    const bool leaks = std::ranges::find(part.leaks, c, &Leak::channel) != part.leaks.end();
    if (c < kMost) {
      first.push_back(channel.name);
    } else if (leaks || channel.two_valued || has_label_name(channel.name)) {
      labels.push_back(channel.name);
    }
  }
  std::string text = fmt::format("{}: {}", part.channels.size(), names_text(first));
  const std::size_t more = part.channels.size() - first.size() - labels.size();
  if (more > 0) text += fmt::format(" and {} more", more);
  if (!labels.empty())
    text += fmt::format("{} {}", more > 0 ? "; of two values, or named like a label:" : ",",
                        names_text(labels, labels.size()));
  return text;
}

std::string rate_text(const PartAudit& part) {
  if (part.rate == 0) return "unknown";
  std::string text = part.rate >= 1 ? fmt::format("{:.6g} samples a second", part.rate)
                                    : fmt::format("one sample every {:.6g} s", 1 / part.rate);
  if (part.uneven_steps > 0) text += fmt::format(", {:.2f} % of the steps differ", 100 * part.uneven_steps);
  if (part.gaps > 0)
    text += fmt::format("; {} gaps, the longest {}: windows reach across them", count_text(part.gaps),
                        duration_text(part.longest_gap));
  return text;
}

std::string missing_text(const PartAudit& part) {
  std::vector<std::string> names;
  std::size_t missing = 0;
  for (const ChannelAudit& channel : part.channels) {
    missing += channel.missing;
    if (channel.missing > 0) names.push_back(fmt::format("{} ({})", channel.name, count_text(channel.missing)));
  }
  return missing == 0
             ? "none"
             : fmt::format("{} {}: {}", count_text(missing), missing == 1 ? "value" : "values", names_text(names));
}

std::string constant_text(const PartAudit& part) {
  std::vector<std::string> always, sometimes;
  for (const ChannelAudit& channel : part.channels) {
    if (channel.constant_series == part.series) always.push_back(channel.name);
    if (channel.constant_series > 0 && channel.constant_series < part.series)
      sometimes.push_back(fmt::format("{} ({})", channel.name, channel.constant_series));
  }
  if (always.empty() && sometimes.empty()) return "none";
  std::string text;
  if (!always.empty()) text = fmt::format("{} in every series: {}", always.size(), names_text(always));
  if (!sometimes.empty())
    text +=
        fmt::format("{}{} in some series: {}", text.empty() ? "" : "; ", sometimes.size(), names_text(sometimes, 4));
  return text;
}

std::string labels_text(const PartAudit& part, const Audit& audit) {
  if (part.labelled_rows > 0) {
    return fmt::format("{} of {} rows anomalous, {:.2f} %", count_text(part.anomalous_rows),
                       count_text(part.labelled_rows),
                       100.0 * static_cast<double>(part.anomalous_rows) / static_cast<double>(part.labelled_rows));
  }
  if (part.class_counts.empty()) return "none";
  std::vector<std::string> counts;
  for (std::size_t k = 0; k < audit.classes.size(); ++k)
    counts.push_back(fmt::format("{} {}", audit.classes[k], part.class_counts[k]));
  return fmt::format("{} classes: {}", audit.classes.size(), names_text(counts, 30));
}

std::string score_text(const BaselineScore& score) {
  return fmt::format("F1 {:.3f} (precision {:.3f}, recall {:.3f})", score.f1, score.precision, score.recall);
}

std::string fault_text(const PartAudit& part) {
  std::vector<const ChannelAudit*> often;
  for (const ChannelAudit& channel : part.channels)
    if (channel.at_fault > 0) often.push_back(&channel);
  std::ranges::stable_sort(often, [](const auto* a, const auto* b) { return a->at_fault > b->at_fault; });
  std::vector<std::string> names;
  for (const ChannelAudit* channel : often) names.push_back(fmt::format("{} ({})", channel->name, channel->at_fault));
  return fmt::format("known for {}; most often {}", counted(part.spans_with_channels, "span"), names_text(names, 4));
}

std::string part_text(const PartAudit& part, const Audit& audit) {
  std::string text = part.part == DataPart::kNone ? "" : to_string(part.part) + "\n";
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", what, value);
  };
  line("series",
       fmt::format("{} {}", count_text(part.series), range_text(part.shortest, part.median_length, part.longest)));
  line("rows", count_text(part.rows));
  line("channels", channels_text(part));
  line("rate", rate_text(part));
  line("missing", missing_text(part));
  line("constant", constant_text(part));
  for (const std::vector<std::string>& same : part.same_series) line("same values", names_text(same));
  line("labels", labels_text(part, audit));
  for (const Leak& leak : part.leaks)
    line("label leak", fmt::format("{}: {}", quote(audit.channels[leak.channel]), leak_text(leak, audit.classes)));
  for (const std::size_t channel : part.counters)
    line("row number", fmt::format("{}: it changes by the same step in every row", quote(audit.channels[channel])));
  if (part.spans > 0) {
    line("spans", fmt::format("{} {}", count_text(part.spans),
                              range_text(part.shortest_span, part.median_span, part.longest_span)));
    std::vector<std::string> tenths;
    for (const double share : part.where) tenths.push_back(fmt::format("{:.0f}", 100 * share));
    line("where they lie", fmt::format("{} % of them, by tenth of the timeline", fmt::join(tenths, " ")));
    if (part.spans_with_channels > 0) line("channels at fault", fault_text(part));
  }
  if (part.largest_deviation) line("largest deviation", score_text(*part.largest_deviation) + " at its best threshold");
  if (part.all_positive) line("all positive", score_text(*part.all_positive));
  if (part.largest_class && !part.all_positive)
    line("largest class", fmt::format("accuracy {:.3f} when always predicted", *part.largest_class));
  return text;
}

Json score_json(const std::optional<BaselineScore>& score) {
  if (!score) return nullptr;
  return Json::Object{{"precision", score->precision}, {"recall", score->recall}, {"f1", score->f1}};
}

Json strings_json(const std::vector<std::string>& names) {
  return Json::Array(names.begin(), names.end());
}

Json channels_json(const PartAudit& part) {
  Json channels = Json::array();
  for (const ChannelAudit& channel : part.channels) {
    channels.push_back(Json::Object{{"name", channel.name},
                                    {"missing", channel.missing},
                                    {"constant_series", channel.constant_series},
                                    {"mean", channel.mean},
                                    {"deviation", channel.deviation},
                                    {"low", channel.low},
                                    {"high", channel.high},
                                    {"at_fault", channel.at_fault},
                                    {"two_valued", channel.two_valued}});
  }
  return channels;
}

Json leaks_json(const PartAudit& part, const Audit& audit) {
  Json leaks = Json::array();
  for (const Leak& leak : part.leaks) {
    leaks.push_back(Json::Object{{"channel", audit.channels[leak.channel]},
                                 {"equal", leak.equal},
                                 {"marks", leak.marks},
                                 {"auc", leak.area},
                                 {"shift", static_cast<double>(leak.shift)},
                                 {"class", audit.classes[static_cast<std::size_t>(leak.of_class)]}});
  }
  return leaks;
}

Json part_json(const PartAudit& part, const Audit& audit) {
  Json json = Json::object();
  json.set("part", part.part == DataPart::kNone ? Json("all") : Json(to_string(part.part)));
  json.set("series", part.series).set("rows", part.rows);
  json.set("shortest", part.shortest).set("median_length", part.median_length).set("longest", part.longest);
  json.set("rate", part.rate == 0 ? Json() : Json(part.rate)).set("uneven_steps", part.uneven_steps);
  json.set("gaps", part.gaps).set("longest_gap", part.longest_gap);
  json.set("labelled_rows", part.labelled_rows).set("anomalous_rows", part.anomalous_rows);
  Json classes = Json::object();
  for (std::size_t k = 0; k < part.class_counts.size(); ++k) classes.set(audit.classes[k], part.class_counts[k]);
  json.set("classes", std::move(classes));
  json.set("spans", part.spans).set("spans_with_channels", part.spans_with_channels);
  json.set("shortest_span", part.shortest_span)
      .set("median_span", part.median_span)
      .set("longest_span", part.longest_span);
  json.set("where", Json(Json::Array(part.where.begin(), part.where.end())));
  json.set("largest_deviation", score_json(part.largest_deviation)).set("all_positive", score_json(part.all_positive));
  json.set("largest_class", part.largest_class ? Json(*part.largest_class) : Json());
  json.set("leaks", leaks_json(part, audit));
  Json counters = Json::array();
  for (const std::size_t channel : part.counters) counters.push_back(audit.channels[channel]);
  json.set("counters", std::move(counters));
  Json same = Json::array();
  for (const std::vector<std::string>& names : part.same_series) same.push_back(strings_json(names));
  json.set("same_values", std::move(same)).set("channels", channels_json(part));
  return json;
}

}  // namespace

std::string audit_text(const Audit& audit) {
  std::string text = printable(fmt::format("{} ({}: {})", audit.name, audit.format, audit.source)) + "\n";
  for (const std::string& note : audit.notes) text += printable(note) + "\n";
  for (const PartAudit& part : audit.parts) text += part_text(part, audit);
  return text;
}

std::string audit_json(const Audit& audit) {
  Json parts = Json::array();
  for (const PartAudit& part : audit.parts) parts.push_back(part_json(part, audit));
  Json json = Json::object();
  json.set("name", audit.name).set("format", audit.format).set("source", audit.source);
  json.set("notes", strings_json(audit.notes)).set("classes", strings_json(audit.classes));
  json.set("parts", std::move(parts));
  return dump_json(json, JsonLayout::kPretty);
}

}  // namespace faithful
