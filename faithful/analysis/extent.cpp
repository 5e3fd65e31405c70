#include "faithful/analysis/extent.h"

#include <algorithm>
#include <set>

#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

bool codes_depend_on_length(const CatalogEntry& entry, const EncodingOptions& options) {
  return entry.rows_depend_on_length || entry.kind == EncodingKind::kRelativeVectors || !options.positions.empty() ||
         !options.parameters.empty();
}

// The smallest S whose table has a collision, for each precision that has none yet.
void search_table(FirstCollision& result, const Encoding& encoding, std::size_t length) {
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    if (result.length[i]) continue;
    const Collisions found = count_collisions(make_collision_rows(encoding, length, kPrecisions[i]));
    if (found.first) result.length[i] = found.first->second + 1;
  }
}

// What each offset -(S-1)..S-1 of head 0 has, when every parameter has a value of its own.
std::vector<double> values_of_offsets(const std::string& name, EncodingOptions options) {
  options.positions.clear();
  options.parameters = start_parameters(name, options);
  Random random(1, stream_of("offsets"));  // positive: rates must be
  for (double& value : options.parameters) value = random.uniform(0.5, 1.5);
  const Encoding encoding = make_encoding(name, options);
  const std::size_t length = options.length;
  std::vector<double> values;
  for (std::size_t i = length; i-- > 1;) values.push_back(encoding.values[i * length]);  // offset -i: (i, 0)
  for (std::size_t j = 0; j < length; ++j) values.push_back(encoding.values[j]);         // offset j: (0, j)
  return values;
}

OffsetResolution resolve_values(const std::vector<double>& values) {
  OffsetResolution result{std::set<double>(values.begin(), values.end()).size(), false};
  if (!std::equal(values.begin(), values.end(), values.rbegin())) result.sign_seen = true;
  return result;
}

// Rotations by two offsets are the same where the rotation by their difference is none: they repeat with the first
// position whose code is that of position 0.
OffsetResolution resolve_rotations(const std::string& name, EncodingOptions options) {
  const std::size_t offsets = 2 * options.length - 1;
  options.length = offsets;
  options.positions.clear();
  const Encoding encoding = make_encoding(name, options);
  const Matrix<double> rows(encoding.shape[0], encoding.shape[1], encoding.values);
  std::size_t period = 1;
  while (period < offsets && !std::ranges::equal(rows.row(period), rows.row(0))) ++period;
  return {period, period > 2};
}

}  // namespace

FirstCollision find_first_collision(const std::string& name, const EncodingOptions& options,
                                    const PerPrecision<Collisions>& known, std::size_t most_values) {
  const CatalogEntry& entry = catalog_entry(name);
  FirstCollision result;
  if (codes_depend_on_length(entry, options)) return result;
  const std::size_t width = std::max<std::size_t>(1, options.dim);
  std::size_t limit = std::max(options.length, std::min<std::size_t>(65'536, most_values / width));
  const std::size_t most = entry.most_positions == nullptr ? limit : entry.most_positions(options);
  limit = std::min(limit, most);
  result.limit = limit;

  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    if (known[i].first) result.length[i] = known[i].first->second + 1;
  }
  const auto found_all = [&] {
    return std::ranges::all_of(result.length, [](auto& found) { return found.has_value(); });
  };
  EncodingOptions longer = options;
  while (longer.length < limit && !found_all()) {
    longer.length = std::min(limit, std::max<std::size_t>(64, 4 * longer.length));
    search_table(result, make_encoding(name, longer), longer.length);
  }
  if (entry.repeats && limit == most) {
    for (auto& found : result.length) found = found.value_or(most + 1);
    result.limit = most + 1;
  }
  return result;
}

OffsetResolution resolve_offsets(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  switch (entry.kind) {
    case EncodingKind::kRotary:
      return resolve_rotations(name, options);
    case EncodingKind::kRelativeVectors:
      return {std::min(2 * options.length - 1, entry.extent(options)), options.length > 1 && entry.extent(options) > 1};
    case EncodingKind::kLogitBias:
    case EncodingKind::kWeightBias:
      if (entry.absolute) return {};
      return resolve_values(values_of_offsets(name, options));
    default:
      return {};
  }
}

}  // namespace faithful
