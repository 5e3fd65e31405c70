#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

struct InModelMaker;  // faithful/encoding/in_model_internal.h
struct ModelPlace;

// All there is to know about one encoding without building it. Each is made in the file of its encoding.
struct CatalogEntry {
  std::string name;
  std::string former_name = {};  // is understood too; keys that are hashed hold it, so that old ones stay valid
  EncodingKind kind;
  std::string description;              // one line
  std::string enters;                   // where in the model
  std::string citation = {};            // empty: a control
  std::vector<OwnOption> options = {};  // of its own
  std::string start = {};               // how the learned parameters begin; empty: nothing is learned
  bool seeded = false;                  // draws numbers from the seed
  bool real_positions = false;          // takes real-valued positions
  bool rows_depend_on_length = false;   // the code of position s changes with S: no smallest S that collides
  bool fixed_length = false;            // a model cannot take windows longer than those it was trained on
  bool repeats = false;                 // beyond most_positions the codes begin again
  bool absolute = false;                // a bias that is no function of the offset
  bool geometric = false;               // its frequencies are rho^(-2i/width)
  bool scales_start = false;            // options.scale is of the start values, from which training moves

  // Called with options that make_encoding has checked.
  Encoding (*make)(const EncodingOptions&);                          // values and frequencies
  std::vector<double> (*start_values)(const EncodingOptions&) = {};  // null: nothing is learned

  // May be null.
  void (*check)(const EncodingOptions&) = {};                  // InputError where it cannot be, as table or in a model
  std::size_t (*extent)(const EncodingOptions&) = {};          // features (kConcatenated), vectors (kRelativeVectors)
  std::size_t (*most_positions)(const EncodingOptions&) = {};  // that have codes of their own

  // In a model.
  const InModelMaker* in_model;                       // its class
  std::vector<std::string> parameters_in_model = {};  // those that make up options.parameters, in their order
  void (*check_in_model)(const ModelPlace&) = {};     // InputError where such a model cannot be; may be null
  // Sets options that follow from others, and says what it did. `longest` is how long the longest window lasts, where
  // positions are times. May be null.
  std::string (*settle_in_model)(EncodingOptions&, std::optional<double> longest) = {};

  bool learned() const { return start_values != nullptr; }
};

// A setting of encode() that means something for an encoding, besides length and dim.
struct CatalogParameter {
  std::string field;          // "rho"
  std::string default_value;  // "10000"
  std::string meaning;
};
FAITHFUL_API std::vector<CatalogParameter> parameters_of(const CatalogEntry& entry);

// The encodings, in the order in which docs/encodings.md explains them.
FAITHFUL_API const std::vector<CatalogEntry>& encoding_catalog();

// The entry of that name, or of that former name; InputError with suggestions where there is none.
FAITHFUL_API const CatalogEntry& catalog_entry(const std::string& name);

// The name of an encoding today, and the one in keys that are hashed: its former name where it has one. A name that is
// not in the catalog stays as it is.
FAITHFUL_API std::string current_name(const std::string& name);
FAITHFUL_API std::string key_name(const std::string& name);

}  // namespace faithful
