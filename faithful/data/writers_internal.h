#pragma once

// The writers, one per format, and what they ask about a data set.

#include <string>
#include <vector>

#include "faithful/data/dataset.h"

namespace faithful::data {

std::vector<std::string> save_npz_dataset(const Dataset& dataset, const std::string& path);
std::vector<std::string> save_csv_dataset(const Dataset& dataset, const std::string& path);
std::vector<std::string> save_ts_dataset(const Dataset& dataset, const std::string& path);
std::vector<std::string> save_hdf5_dataset(const Dataset& dataset, const std::string& path);

enum class Labelling { kNone, kPoints, kSeries };
Labelling labelling_of(const Dataset& dataset, const std::string& path);  // InputError where series differ in it
bool has_times(const Dataset& dataset, const std::string& path);          // the same
bool has_parts(const Dataset& dataset);
bool has_spans_beyond_labels(const Dataset& dataset);

}  // namespace faithful::data
