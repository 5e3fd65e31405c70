#pragma once

// Arrays of numbers (.npy, .npz, HDF5) as series, and what is kept with them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"

namespace faithful::data {

struct PlainArray {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // [product of shape], C order
};

// The series of an array whose axes are named by letters: n series, t time, c channels, in the order of the shape.
std::vector<Series> series_of(PlainArray array, const std::string& axes, const Place& place);

// Labels for series of equal length: one per point, shape [T] of a single series or [N, T], or one per series, [N].
struct LabelArray {
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> values;
};
void set_labels(Dataset& dataset, const LabelArray& labels, const std::string& positive, const Place& place);

// What our .npz and HDF5 files keep besides the numbers, as JSON: name, channels, classes, rate, and of each series its
// name, part and spans.
std::string meta_text(const Dataset& dataset);

// The same back: a data set whose series have no values yet.
Dataset parse_meta(std::string_view json, const std::string& name);

// Rejects what check_dataset would call our mistake, where it came from a file.
void check_foreign(const Dataset& dataset, const std::string& name);

}  // namespace faithful::data
