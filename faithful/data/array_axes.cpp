#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/npy.h"

namespace faithful::data {
namespace {

// One axis: how many, and how far apart in the array. An axis that is not there has one step.
struct Axis {
  std::size_t count = 1;
  std::size_t stride = 0;
};

struct Layout {
  Axis series, time, channels;
};

Layout layout_of(const std::vector<std::size_t>& shape, const std::string& axes, const Place& place) {
  const bool letters_fit = std::ranges::all_of(axes, [&](char c) {
    return std::string_view("ntc").find(c) != std::string_view::npos && std::ranges::count(axes, c) == 1;
  });
  if (!axes.empty() && (!letters_fit || axes.find('t') == std::string::npos))
    reject({{.field = "axes"}, "t (time), and at most one n (series) and one c (channels)", quote(axes)});
  if (axes.empty() && shape.size() != 1) {
    const auto axes_text = [](const char* order) { return field_text("axes", order); };
    reject({place, "the order of its axes", shape_text(shape),
            shape.size() == 3
                ? fmt::format("{}: series, time, channels", axes_text("ntc"))
                : fmt::format("{}: time, channels; {}: channels, time", axes_text("tc"), axes_text("ct"))});
  }
  const std::string names = axes.empty() ? "t" : axes;
  if (names.size() != shape.size())
    reject({place, fmt::format("an array of {} axes ({})", names.size(), names), shape_text(shape)});
  Layout layout;
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    Axis& axis = names[i] == 'n' ? layout.series : names[i] == 't' ? layout.time : layout.channels;
    axis = {shape[i], stride};
    stride *= shape[i];
  }
  if (stride == 0) reject({place, "an array with elements", shape_text(shape)});
  return layout;
}

}  // namespace

std::vector<Series> series_of(PlainArray array, const std::string& axes, const Place& place) {
  const auto [n_axis, t_axis, c_axis] = layout_of(array.shape, axes, place);
  std::vector<Series> all(n_axis.count);
  for (std::size_t n = 0; n < n_axis.count; ++n) {
    all[n].name = fmt::format("{}", n + 1);
    const bool as_it_is = c_axis.count == 1 ? t_axis.stride == 1 : t_axis.stride == c_axis.count && c_axis.stride == 1;
    if (n_axis.count == 1 && as_it_is) {
      all[n].values = Matrix<float>(t_axis.count, c_axis.count, std::move(array.values));
      break;
    }
    Matrix<float>& values = all[n].values;
    values = Matrix<float>(t_axis.count, c_axis.count);
    const float* from = array.values.data() + n * n_axis.stride;
    for (std::size_t t = 0; t < t_axis.count; ++t)
      for (std::size_t c = 0; c < c_axis.count; ++c) values(t, c) = from[t * t_axis.stride + c * c_axis.stride];
  }
  return all;
}

namespace {

std::uint8_t binary_label(std::int64_t value, const std::string& positive, const Place& place) {
  const std::string text = fmt::format("{}", value);
  const std::optional<std::uint8_t> label = point_label(text, positive);
  if (!label) reject_point_label(text, place);
  return *label;
}

// That some label is the positive one, and which others there are.
void check_positive_number(Dataset& dataset, const LabelArray& labels, const std::string& positive,
                           const Place& place) {
  if (positive.empty()) return;
  std::set<std::string> normal;
  for (const std::int64_t value : std::set(labels.values.begin(), labels.values.end()))
    normal.insert(fmt::format("{}", value));
  if (normal.erase(positive) == 0) reject_positive(positive, place);
  add_note_of_normal(dataset, normal, positive);
}

}  // namespace

void set_labels(Dataset& dataset, const LabelArray& labels, const std::string& positive, const Place& place) {
  const std::size_t series = dataset.series.size();
  const std::size_t length = dataset.series[0].length();
  const std::vector<std::size_t> point_shape =
      series == 1 && labels.shape.size() == 1 ? std::vector{length} : std::vector{series, length};
  if (labels.shape == point_shape) {
    dataset.classes = anomaly_classes();
    for (std::size_t n = 0; n < series; ++n) {
      std::vector<std::uint8_t>& points = dataset.series[n].labels;
      points.resize(length);
      for (std::size_t t = 0; t < length; ++t) points[t] = binary_label(labels.values[n * length + t], positive, place);
    }
    check_positive_number(dataset, labels, positive, place);
  } else if (labels.shape == std::vector{series}) {
    std::vector<std::string> names;
    for (const std::int64_t value : labels.values) names.push_back(fmt::format("{}", value));
    set_classes(dataset, names, positive, place);
  } else {
    reject({place,
            series == 1 ? fmt::format("{} labels, one for each time", length)
                        : fmt::format("{} labels, one for each series, or {} x {}", series, series, length),
            shape_text(labels.shape)});
  }
}

}  // namespace faithful::data
