#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

struct CatalogParameter {
  std::string option;         // --rho
  std::string default_value;  // 10000
  std::string meaning;
};

// All there is to know about one encoding without building it.
struct CatalogEntry {
  std::string name;
  EncodingKind kind;
  std::string description;                   // one line
  std::string enters;                        // where in the model
  std::vector<CatalogParameter> parameters;  // besides --length, --dim
  std::string start;                         // how the learned parameters begin; empty: nothing is learned
  bool rows_depend_on_length;                // row s changes with S, so that "the smallest S that .." has no meaning
  bool real_positions;                       // takes real-valued positions
  std::string citation;
  Encoding (*make)(const EncodingOptions&);                     // of checked options; values, shape and frequencies
  std::vector<double> (*start_values)(const EncodingOptions&);  // of checked options; null: nothing is learned

  bool learned() const { return start_values != nullptr; }
};

// Every encoding, in the order in which they are explained.
FAITHFUL_API const std::vector<CatalogEntry>& encoding_catalog();

// The entry of that name; InputError with suggestions where there is none.
FAITHFUL_API const CatalogEntry& catalog_entry(const std::string& name);

}  // namespace faithful
