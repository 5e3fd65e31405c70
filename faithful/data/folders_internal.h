#pragma once

// What the folders of published sets hold besides tables, read from bytes (for the fuzzers too).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/data/dataset.h"

namespace faithful::data {

// SMD's interpretation: a line `start-end:dim,dim` is positions start .. end-1, columns from 1. Sorted by begin.
std::vector<LabelSpan> parse_smd_interpretation(std::string_view text, const std::string& name, std::size_t length,
                                                std::size_t channels);

// SMD's labels: one 0 or 1 a line, `length` of them.
std::vector<std::uint8_t> parse_smd_labels(std::string_view text, const std::string& name, std::size_t length);

// One row of telemanom's labeled_anomalies.csv.
struct TelemanomLabels {
  std::string channel;           // "P-1"
  std::string spacecraft;        // "SMAP", "MSL"
  std::vector<LabelSpan> spans;  // with their kind; by begin
  std::size_t length = 0;        // rows of the test series
  std::size_t line = 0;          // in the file
};
std::vector<TelemanomLabels> parse_telemanom_labels(std::string_view text, const std::string& name);

}  // namespace faithful::data
