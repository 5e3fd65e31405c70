#include "faithful/data/leaks.h"

#include "faithful/base/random.h"
#include "faithful/data/audit.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using testing::kNan;

// Noise in `channels` channels, and `events` events of 10 samples, every 100.
Dataset log_with_events(std::size_t events, std::size_t channels = 2, std::size_t rows = 1000) {
  Dataset data{.name = "log", .channels = numbered_channels(channels), .classes = {"normal", "anomalous"}};
  data.format = "csv";
  Series series{.name = "x", .values = Matrix<float>(rows, channels), .labels = std::vector<std::uint8_t>(rows, 0)};
  Random random(1);
  for (float& value : series.values.values) value = static_cast<float>(random.normal());
  for (std::size_t i = 0; i < events; ++i)
    for (std::size_t t = 0; t < 10; ++t) series.labels[50 + 100 * i + t] = 1;
  data.series = {series};
  return data;
}

std::vector<Leak> leaks_of(const Dataset& data) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < data.series.size(); ++i) pieces.push_back({{0, data.series[i].length()}, i});
  ThreadPool pool(2);
  return find_leaks(data, pieces, pool);
}

template <class Value>
void set_channel(Dataset& data, std::size_t channel, Value value) {
  for (Series& series : data.series)
    for (std::size_t t = 0; t < series.length(); ++t) series.values(t, channel) = value(series, t);
}

TEST(Leaks, NoiseIsNone) {
  EXPECT_TRUE(leaks_of(log_with_events(9, 20)).empty());
}

TEST(Leaks, AColumnThatEqualsTheLabel) {
  for (const float low : {0.0F, -3.5F, 8.0F}) {  // any two values, in both directions
    Dataset data = log_with_events(1);
    set_channel(data, 1, [&](const Series& series, std::size_t t) { return series.labels[t] == 1 ? 2.0F : low; });
    const std::vector<Leak> found = leaks_of(data);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], (Leak{.channel = 1, .equal = true, .area = 1})) << "one event is enough";
    EXPECT_EQ(leak_text(found[0], data.classes), "it equals the label");
  }
}

TEST(Leaks, AColumnThatEqualsTheShiftedLabel) {
  for (const std::ptrdiff_t shift : {5, -5, 1, 100, -100}) {
    Dataset data = log_with_events(3);
    set_channel(data, 0, [&](const Series& series, std::size_t t) {
      const auto at = static_cast<std::ptrdiff_t>(t) - shift;
      return at >= 0 && at < 1000 && series.labels[static_cast<std::size_t>(at)] == 1 ? 1.0F : 0.0F;
    });
    const std::vector<Leak> found = leaks_of(data);
    ASSERT_EQ(found.size(), 1U) << shift;
    EXPECT_TRUE(found[0].equal && found[0].channel == 0);
    // Events come every 100 samples: a shift of 100 leaves one out, and is none of 0.
    EXPECT_EQ(found[0].shift, shift);
  }
  Dataset data = log_with_events(3);
  EXPECT_EQ(leak_text({.equal = true, .shift = 5}, data.classes), "it equals the label, 5 samples later");
  EXPECT_EQ(leak_text({.equal = true, .shift = -1}, data.classes), "it equals the label, 1 sample earlier");
}

TEST(Leaks, AColumnThatMarksTheEvents) {
  const auto at = [](const Series& series, std::size_t t) { return t < series.length() && series.labels[t] == 1; };
  for (const float mark :
       {1.0F, -1.0F}) {  // change points, as SKAB has them: the first row of an event, and the row after
    Dataset data = log_with_events(4);
    set_channel(data, 1, [&](const Series& series, std::size_t t) {
      return t > 0 && at(series, t) != at(series, t - 1) ? mark : 0.0F;
    });
    const std::vector<Leak> found = leaks_of(data);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].marks && !found[0].equal && found[0].channel == 1 && found[0].area < kLeakArea);
    EXPECT_EQ(leak_text(found[0], data.classes), "one of its two values comes with every event, and only there");
    data.series[0].values(500, 1) = mark;  // 8 of 9 marks at events
    EXPECT_TRUE(leaks_of(data).empty());
  }
  Dataset data = log_with_events(4);  // an alarm that begins late and ends early, but misses the last event
  set_channel(data, 0, [&](const Series& series, std::size_t t) {
    return t > 2 && t < 300 && at(series, t - 3) && at(series, t + 2) ? 1.0F : 0.0F;
  });
  EXPECT_TRUE(leaks_of(data).empty());
  data.series[0].values(355, 0) = 1;
  EXPECT_EQ(leaks_of(data).size(), 1U);
  EXPECT_TRUE(leaks_of(log_with_events(1)).empty());
}

TEST(Leaks, AShiftTooFar) {
  Dataset data = log_with_events(1);
  set_channel(data, 0, [&](const Series& series, std::size_t t) {
    return t >= 101 && series.labels[t - 101] == 1 ? 1.0F : 0.0F;
  });
  EXPECT_TRUE(leaks_of(data).empty());
}

TEST(Leaks, AColumnThatSeparates) {
  for (const float sign : {1.0F, -1.0F}) {
    Dataset data = log_with_events(4);
    set_channel(data, 1, [&](const Series& series, std::size_t t) {
      return sign * (20.0F * static_cast<float>(series.labels[t]) + series.values(t, 1));
    });
    const std::vector<Leak> found = leaks_of(data);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], (Leak{.channel = 1, .area = 1}));
    EXPECT_EQ(leak_text(found[0], data.classes), "it alone separates \"anomalous\" from \"normal\" (AUC 1.000)");
  }
}

TEST(Leaks, TheAreaIsExact) {
  Dataset data = log_with_events(9);
  // One of 90 anomalous samples is lower than all 910 normal ones: 89/90, below the bound; of ties, half counts.
  const auto lower = [&](const Series& series, std::size_t t) {
    return series.labels[t] == 1 && t != 50 ? 5.0F + static_cast<float>(t) : -static_cast<float>(t == 50 ? 9999 : t);
  };
  set_channel(data, 0, lower);
  EXPECT_TRUE(leaks_of(data).empty());
  set_channel(data, 0, [&](const Series& series, std::size_t t) {
    return t == 50 ? -500.5F : lower(series, t);  // it is above 454 of the 910: those from 501 on that are normal
  });
  const std::vector<Leak> found = leaks_of(data);
  ASSERT_EQ(found.size(), 1U);
  double above = 0;
  for (std::size_t t = 501; t < 1000; ++t) above += data.series[0].labels[t] == 0 ? 1 : 0;
  EXPECT_NEAR(found[0].area, (89 + above / 910) / 90, 1e-12);
}

TEST(Leaks, FewEventsMayBeChance) {
  for (const std::size_t events : {1U, 2U, 3U}) {
    Dataset data = log_with_events(events, 30);
    set_channel(data, 0, [&](const Series& series, std::size_t t) {
      return 20.0F * static_cast<float>(series.labels[t]) + series.values(t, 0);
    });
    EXPECT_EQ(leaks_of(data).size(), events == 3 ? 1U : 0U) << events;
  }
}

TEST(Leaks, OnlyThePiecesCountAndOverlapsOnce) {
  Dataset data = log_with_events(8);
  set_channel(data, 1, [&](const Series& series, std::size_t t) { return t < 500 ? series.labels[t] : 0.0F; });
  ThreadPool pool(1);
  EXPECT_TRUE(find_leaks(data, std::vector<Piece>{{{0, 1000}, 0}}, pool).empty());
  const std::vector<Piece> half = {{{0, 300}, 0}, {{200, 500}, 0}};
  ASSERT_EQ(find_leaks(data, half, pool).size(), 1U);
  EXPECT_TRUE(find_leaks(data, std::vector<Piece>{}, pool).empty());
}

TEST(Leaks, MissingValuesCountForNothing) {
  Dataset data = log_with_events(8);
  set_channel(data, 1, [&](const Series& series, std::size_t t) { return t % 7 == 0 ? kNan : series.labels[t]; });
  ASSERT_EQ(leaks_of(data).size(), 1U);
  EXPECT_EQ(leaks_of(data)[0].area, 1);
}

// `each` series of every class; channel 0 noise, channel 1 as `value` says.
template <class Value>
Dataset classified(std::size_t each, std::size_t classes, Value value) {
  Dataset data{.name = "trips", .channels = {"a", "b"}};
  for (std::size_t k = 0; k < classes; ++k) data.classes.push_back("c" + std::to_string(k));
  Random random(2);
  for (std::size_t i = 0; i < each * classes; ++i) {
    Series series{
        .name = std::to_string(i), .values = Matrix<float>(6, 2), .label = static_cast<std::int32_t>(i % classes)};
    for (std::size_t t = 0; t < 6; ++t) {
      series.values(t, 0) = static_cast<float>(random.normal());
      series.values(t, 1) = value(i % classes, t, random);
    }
    data.series.push_back(series);
  }
  return data;
}

TEST(Leaks, OfSeriesAConstantColumn) {
  const auto code = [](std::size_t k, std::size_t, Random&) { return 3.0F + static_cast<float>(k); };
  const Dataset data = classified(8, 3, code);
  const std::vector<Leak> found = leaks_of(data);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Leak{.channel = 1, .area = 1, .of_class = 0})) << "the class in the middle is not separated";
  EXPECT_EQ(leak_text(found[0], data.classes), "it alone separates \"c0\" from the others (AUC 1.000)");
  EXPECT_TRUE(leaks_of(classified(2, 3, code)).empty()) << "six series may be chance";
}

TEST(Leaks, OfSeriesAFlagAndASignal) {
  EXPECT_EQ(
      leaks_of(classified(10, 2, [](std::size_t k, std::size_t t, Random&) { return k == 1 && t == 4 ? 1.0F : 0.0F; }))
          .size(),
      1U);
  EXPECT_TRUE(leaks_of(classified(10, 2,
                                  [](std::size_t k, std::size_t, Random& random) {
                                    return static_cast<float>(k) + 0.1F * static_cast<float>(random.uniform());
                                  }))
                  .empty())
      << "a signal that changes in a series is what a model is for";
}

TEST(Leaks, WarningsNameTheColumnAndWhatToDo) {
  Dataset data = log_with_events(3);
  data.channels[1] = "alarm";
  const Leak leak{.channel = 1, .equal = true, .shift = 2};
  EXPECT_EQ(spelled(leak_warning(leak, data),
                    [](std::string_view field, std::string_view value) {
                      return std::string(field) + "=" + std::string(value);
                    }),
            "column \"alarm\" gives the labels away: it equals the label, 2 samples later. If it was made from the "
            "labels, or is not known when you predict, leave it out: ignore=alarm");
  data.format = "npz";
  EXPECT_TRUE(leak_warning(leak, data).ends_with("leave it out of the data"));
}

TEST(Leaks, AnAuditShowsThemAndHidesNoLabel) {
  Dataset data = log_with_events(3, 12);
  data.channels[10] = "Fault code";
  data.channels[11] = "state";
  set_channel(data, 11, [](const Series& series, std::size_t t) { return series.labels[t]; });
  const std::string text = audit_text(audit(data));
  EXPECT_NE(text.find("channel_8 and 2 more; of two values, or named like a label: Fault code, state\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  label leak         \"state\": it equals the label\n"), std::string::npos) << text;
  const std::string json = audit_json(audit(data));
  EXPECT_NE(json.find("\"channel\": \"state\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"two_valued\": true"), std::string::npos);
}

// An index from 0, seconds in steps of 0.1, a constant, a ramp with one step that differs, a counter that starts anew in
// each series, a random walk.
TEST(Leaks, ChannelsThatCountTheRows) {
  Dataset dataset;
  dataset.channels = {"", "seconds", "constant", "nearly", "anew", "walk"};
  dataset.format = "csv";
  Random random(3);
  for (std::size_t s = 0; s < 2; ++s) {
    Series series{.name = std::to_string(s), .values = Matrix<float>(50, 6)};
    double walk = 0;
    for (std::size_t t = 0; t < 50; ++t) {
      walk += random.normal();
      const auto row = static_cast<double>(50 * s + t);
      const double values[] = {row, 100 + 0.1 * row, 7, row + (t == 30 ? 1 : 0), static_cast<double>(t), walk};
      for (std::size_t c = 0; c < 6; ++c) series.values(t, c) = static_cast<float>(values[c]);
    }
    dataset.series.push_back(std::move(series));
  }
  EXPECT_EQ(counting_channels(dataset), (std::vector<std::size_t>{0, 1, 4}));
  EXPECT_EQ(
      counting_warning(1, dataset),
      "column \"seconds\" changes by the same step in every row, as a row number does. If it is no reading, leave "
      "it out: " +
          field_text("ignore", "seconds"));
  for (Series& series : dataset.series) series.values = Matrix<float>(kCountedRows - 1, 6, series.values.values[1]);
  EXPECT_EQ(counting_channels(dataset), std::vector<std::size_t>{}) << "too few rows to tell";
}

}  // namespace
}  // namespace faithful
