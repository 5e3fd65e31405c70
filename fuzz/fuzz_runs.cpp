// Any bytes are the runs of a study or an InputError. Runs write lines that read back to the same, and every number of
// the report about them is finite or null.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/study/runs_file.h"
#include "faithful/study/statistics.h"

namespace {

using namespace faithful;

std::string lines_of(const std::vector<StudyRun>& runs) {
  std::string lines;
  for (const StudyRun& run : runs) lines += dump_json(to_json(run)) + "\n";
  return lines;
}

void check_numbers(const Json& json) {
  if (json.is_number() && !std::isfinite(json.number())) std::abort();
  if (json.is_array())
    for (const Json& item : json.items()) check_numbers(item);
  if (json.is_object())
    for (const auto& [name, value] : json.members()) check_numbers(value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  LoadedRuns loaded;
  try {
    loaded = parse_runs(bytes, "runs.jsonl");
  } catch (const InputError&) {
    return 0;
  }
  const bool whole = bytes.empty() || bytes.back() == '\n';
  if (loaded.good_bytes > size || whole != loaded.notice.empty() || whole != (loaded.good_bytes == size)) std::abort();
  for (const StudySettings& settings : loaded.settings)
    if (settings.digest().size() != 16) std::abort();
  const std::string lines = lines_of(loaded.runs);
  if (lines_of(parse_runs(lines, "again.jsonl").runs) != lines) std::abort();
  try {
    check_numbers(parse_json(dump_json(to_json(make_report(loaded.runs))), "report"));
  } catch (const InputError&) {  // runs that cannot be compared
  }
  return 0;
}
