#include "faithful/data/catalogue.h"

#include <map>

#include <fmt/format.h>

#include "faithful/base/sha256.h"
#include "faithful/data/digests_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"

namespace faithful {

const std::vector<KnownSet>& known_sets() {
  static const std::vector<KnownSet> sets = {
      {"SMD", "Server Machine Dataset: five weeks of 28 servers, point labels and the columns at fault",
       "28 machines x 38 channels", "github.com/NetManAIOps/OmniAnomaly, folder ServerMachineDataset", "MIT", "smd"},
      {"MSL", "Mars Science Laboratory: telemetry and commands of a rover, labelled spans", "27 channels x 55 columns",
       "github.com/khundman/telemanom (data.zip, labeled_anomalies.csv)", "Caltech, BSD-style", "telemanom"},
      {"SMAP", "Soil Moisture Active Passive: telemetry and commands of a satellite, labelled spans",
       "55 channels x 25 columns", "github.com/khundman/telemanom (data.zip, labeled_anomalies.csv)",
       "Caltech, BSD-style", "telemanom"},
      {"BasicMotions", "smart watch on four activities", "40/40 cases, 6 channels x 100",
       "timeseriesclassification.com (UEA archive)", "BSD-3 (aeon's copy)", "uea"},
      {"JapaneseVowels", "nine speakers, two vowels; unequal lengths", "270/370 cases, 12 channels x 7 to 29",
       "timeseriesclassification.com (UEA archive)", "BSD-3 (aeon's copy)", "uea"},
      {"NATOPS", "six aircraft hand signals", "180/180 cases, 24 channels x 51",
       "timeseriesclassification.com (UEA archive)", "MIT-style", "uea"},
      {"ArticularyWordRecognition", "25 words from sensors on the tongue and lips", "275/300 cases, 9 channels x 144",
       "timeseriesclassification.com (UEA archive)", "public archive", "uea"},
      {"Elevator", "the DFStrans authors' simulated trips; not public: `faithful data elevator` simulates its own",
       "trips x 20 channels x 8000", "not published", "none", "hdf5"}};
  return sets;
}

namespace {

using data::is_file;
using data::is_folder;
using data::join_path;

// The file, plain or gzipped; empty: neither.
std::string find_file(const std::string& folder, std::string_view name) {
  std::string plain = join_path(folder, std::string(name));
  if (is_file(plain)) return plain;
  return is_file(plain + ".gz") ? plain + ".gz" : "";
}

std::string digest_of(const std::string& path) {
  const WholeFile file(path);
  if (path.ends_with(".gz") && is_gzip(file.bytes())) return sha256(inflate_gzip(file.bytes(), path));
  return sha256(file.bytes());
}

Verification verify_file(const std::string& path) {
  Verification result;
  const std::string name = data::file_name(path);
  std::string digest;
  for (const data::KnownDigest& known : data::known_digests()) {
    if (data::file_name(std::string(known.file)) != name && data::file_name(std::string(known.file)) + ".gz" != name)
      continue;
    if (digest.empty()) digest = digest_of(path);
    result.set = known.set;
    if (known.sha256 == digest) return {result.set, 1, {}, {}};
  }
  if (!result.set.empty()) result.different.push_back(path);
  return result;
}

// The set of which most files are in the folder.
std::string set_in(const std::string& folder) {
  std::map<std::string, std::size_t> present;
  std::string best;
  for (const data::KnownDigest& known : data::known_digests()) {
    if (find_file(folder, known.file).empty()) continue;
    const std::size_t count = ++present[std::string(known.set)];
    if (best.empty() || count > present[best]) best = known.set;
  }
  return best;
}

}  // namespace

Verification verify_files(const std::string& path) {
  if (is_file(path)) return verify_file(path);
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = is_folder(path) ? path : slash == std::string::npos ? "." : path.substr(0, slash);
  Verification result;
  result.set = set_in(folder);
  for (const data::KnownDigest& known : data::known_digests()) {
    if (known.set != result.set) continue;
    const std::string file = find_file(folder, known.file);
    if (file.empty()) {
      result.absent.emplace_back(known.file);
    } else if (digest_of(file) == known.sha256) {
      ++result.matching;
    } else {
      result.different.push_back(file);
    }
  }
  return result;
}

}  // namespace faithful
