#include "faithful/data/audit.h"

#include "faithful/data/catalogue.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using testing::kNan;
using testing::table;

// Every threshold by brute force.
double naive_best_f1(const std::vector<float>& scores, const std::vector<std::uint8_t>& truth) {
  double best = 0;
  for (const float threshold : scores) {
    double hits = 0, said = 0, all = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      said += scores[i] >= threshold;
      hits += scores[i] >= threshold && truth[i] == 1;
      all += truth[i];
    }
    best = std::max(best, 2 * hits / (said + all));
  }
  return best;
}

TEST(Audit, BestAnswer) {
  const std::vector<float> scores = {3, 1, 2, 2, 5, 0, 4, 2};
  for (unsigned bits = 1; bits < 256; ++bits) {
    std::vector<std::uint8_t> truth;
    for (unsigned i = 0; i < 8; ++i) truth.push_back(static_cast<std::uint8_t>(bits >> i & 1));
    EXPECT_NEAR(best_score(scores, truth)->f1, naive_best_f1(scores, truth), 1e-12);
  }
  EXPECT_FALSE(best_score({1, 2}, {0, 0}));
}

Dataset pump() {
  Dataset data{.name = "pump",
               .channels = {"a", "b", "c"},
               .classes = {"normal", "anomalous"},
               .source = "pump.csv",
               .format = "csv"};
  Series series{.name = "x", .values = Matrix<float>(10, 3, 0.0f), .labels = std::vector<std::uint8_t>(10, 0)};
  for (std::size_t t = 0; t < 10; ++t) {
    series.values(t, 0) = t == 9 ? 10.0f : 0.0f;
    series.values(t, 1) = 7;
    series.values(t, 2) = t == 3 ? kNan : static_cast<float>(t % 2);
    series.times.push_back(static_cast<std::int64_t>(t) * 2'000'000'000);
  }
  series.labels[9] = 1;
  series.spans = {{{9, 10}, {0}, "jump"}};
  data.series = {series};
  return data;
}

TEST(Audit, Numbers) {
  const Audit found = audit(pump());
  ASSERT_EQ(found.parts.size(), 1u);
  const PartAudit& part = found.parts[0];
  EXPECT_EQ(part.rows, 10u);
  EXPECT_DOUBLE_EQ(part.rate, 0.5);
  EXPECT_EQ(part.channels[0].mean, 1);
  EXPECT_DOUBLE_EQ(part.channels[0].deviation, 3) << "sqrt((9 * 1 + 81) / 10)";
  EXPECT_EQ(part.channels[1].constant_series, 1u);
  EXPECT_EQ(part.channels[2].missing, 1u);
  EXPECT_EQ(part.channels[0].at_fault, 1u);
  EXPECT_EQ(part.anomalous_rows, 1u);
  EXPECT_EQ(part.where[9], 1);
  EXPECT_EQ(part.largest_deviation->f1, 1);
  EXPECT_NEAR(part.all_positive->f1, 2 * 0.1 / 1.1, 1e-12);
}

TEST(Audit, Text) {
  EXPECT_EQ(audit_text(audit(pump())),
            "pump (csv: pump.csv)\n"
            "  series             1 of 10 rows\n"
            "  rows               10\n"
            "  channels           3: a, b, c\n"
            "  rate               one sample every 2 s\n"
            "  missing            1 value: c (1)\n"
            "  constant           1 in every series: b\n"
            "  labels             1 of 10 rows anomalous, 10.00 %\n"
            "  spans              1 of 1 rows\n"
            "  where they lie     0 0 0 0 0 0 0 0 0 100 % of them, by tenth of the timeline\n"
            "  channels at fault  known for 1 span; most often a (1)\n"
            "  largest deviation  F1 1.000 (precision 1.000, recall 1.000) at its best threshold\n"
            "  all positive       F1 0.182 (precision 0.100, recall 1.000)\n");
}

TEST(Audit, PartsApart) {
  Dataset data = pump();
  data.series.push_back(data.series[0]);
  data.series.push_back(data.series[0]);
  data.series[0].part = DataPart::kTrain;
  data.series[1].part = data.series[2].part = DataPart::kTest;
  data.series[2].name = "copy";
  const Audit found = audit(data);
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_EQ(found.parts[0].rows, 10u);
  EXPECT_EQ(found.parts[1].rows, 20u);
  EXPECT_TRUE(found.parts[1].same_series.empty()) << "a NaN is not equal";
  data.series[1].values(3, 2) = data.series[2].values(3, 2) = 1;
  EXPECT_EQ(audit(data).parts[1].same_series, (std::vector<std::vector<std::string>>{{"x", "copy"}}));
}

TEST(Audit, Series) {
  Dataset data{.name = "s", .channels = {"a"}, .classes = {"normal", "anomalous"}};
  for (int i = 0; i < 4; ++i)
    data.series.push_back(
        {.name = std::to_string(i), .values = table(2, 1, {0, i == 3 ? 9.0f : 1.0f}), .label = i == 3 ? 1 : 0});
  const PartAudit part = audit(data).parts[0];
  EXPECT_EQ(part.class_counts, (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(part.largest_deviation->f1, 1);
  EXPECT_EQ(part.largest_class, 0.75);
  EXPECT_NEAR(part.all_positive->f1, 0.4, 1e-12);
}

TEST(Dataset, Spans) {
  const std::vector<std::uint8_t> labels = {1, 0, 0, 1, 1};
  EXPECT_EQ(spans_of(labels), (std::vector<LabelSpan>{{{0, 1}}, {{3, 5}}}));
  EXPECT_EQ(labels_of(spans_of(labels), 5), labels);
  EXPECT_EQ(labels_of(std::vector<LabelSpan>{{{1, 9}}}, 3), (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_TRUE(spans_of({}).empty());
}

TEST(Dataset, TakesColumns) {
  Dataset data{.channels = {"a", "b", "c"}};
  data.series.push_back({.values = table(2, 3, {1, 2, 3, 4, 5, 6}), .spans = {{{0, 1}, {0, 2}}, {{1, 2}, {1}}}});
  Dataset same = data, fewer = data;
  take_columns(same, {0, 1, 2}, {"x", "y", "z"});
  EXPECT_EQ(same.channels, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(same.series[0].values, data.series[0].values);
  EXPECT_EQ(same.series[0].spans, data.series[0].spans);
  take_columns(data, {2, 0, 1}, {"c", "a", "b"});
  EXPECT_EQ(data.series[0].values, table(2, 3, {3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(data.series[0].spans, (std::vector<LabelSpan>{{{0, 1}, {0, 1}}, {{1, 2}, {2}}}));
  take_columns(fewer, {2, 1}, {"c", "b"});
  EXPECT_EQ(fewer.series[0].values, table(2, 2, {3, 2, 6, 5}));
  EXPECT_EQ(fewer.series[0].spans, (std::vector<LabelSpan>{{{0, 1}, {0}}, {{1, 2}, {1}}}));
}

TEST(Dataset, Contradictions) {
  Dataset data = pump();
  data.series[0].labels.pop_back();
  EXPECT_THROW(check_dataset(data), Error);
  data = pump();
  data.series[0].spans[0].end = 11;
  EXPECT_THROW(check_dataset(data), Error);
  data = pump();
  data.series[0].label = 2;
  EXPECT_THROW(check_dataset(data), Error);
}

}  // namespace
}  // namespace faithful
