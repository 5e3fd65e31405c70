#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// A public data set that the program can read.
struct KnownSet {
  std::string name;       // "SMD"
  std::string about;      // one line
  std::string shape;      // "28 machines x 38 channels"
  std::string published;  // where the original is
  std::string licence;
  std::string format;  // that reads it
};
FAITHFUL_API const std::vector<KnownSet>& known_sets();

// What checking a folder against the digests we know gave.
struct Verification {
  std::string set;                     // the known set; empty: none of its files is known
  std::size_t matching = 0;            // files of the digest we know
  std::vector<std::string> different;  // files of another
  std::vector<std::string> absent;     // known files that are not there
};

// Compares the files of a data set (a folder, or one file of it) with the SHA-256 digests we know. Gzipped files count
// as what is in them: that is what was published.
FAITHFUL_API Verification verify_files(const std::string& path);

}  // namespace faithful
