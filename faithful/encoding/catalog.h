#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

struct InModelMaker;  // faithful/encoding/in_model_internal.h
struct ModelPlace;

// Everything about one encoding, without building it. The file of the encoding makes its entry.
struct CatalogEntry {
  std::string name;
  std::string former_name = {};  // also accepted; hashed keys hold it, so that old keys stay valid
  EncodingKind kind;
  std::string description;              // one line
  std::string enters;                   // where in the model
  std::string citation = {};            // empty: a control
  std::vector<OwnOption> options = {};  // of its own
  std::string start = {};               // initial values of the learned parameters; empty: nothing is learned
  bool seeded = false;                  // draws numbers from the seed
  bool real_positions = false;          // takes real-valued positions
  bool rows_depend_on_length = false;   // the code of position s changes with S: no smallest S that collides
  bool fixed_length = false;            // a model cannot take windows longer than those it was trained on
  bool repeats = false;                 // after most_positions the codes repeat
  bool absolute = false;                // a bias that is not a function of the offset
  bool geometric = false;               // its frequencies are rho^(-2i/width)
  bool scales_start = false;            // options.scale applies to the initial values, which training then changes

  // Called with options that make_encoding has checked.
  Encoding (*make)(const EncodingOptions&);                          // values and frequencies; null: no table
  std::vector<double> (*start_values)(const EncodingOptions&) = {};  // null: nothing is learned

  // May be null.
  void (*check)(const EncodingOptions&) = {};          // InputError if it is impossible, as table or in a model
  std::size_t (*extent)(const EncodingOptions&) = {};  // columns (kConcatenated, kRotary), vectors (kRelativeVectors)
  bool vectors_of_all_heads = false;                   // kRelativeVectors: dim wide, not d_h
  std::size_t (*most_positions)(const EncodingOptions&) = {};  // that have codes of their own

  // In a model.
  const InModelMaker* in_model;                       // its class
  std::vector<std::string> parameters_in_model = {};  // those that make up options.parameters, in their order
  void (*check_in_model)(const ModelPlace&) = {};     // InputError if such a model is impossible; may be null
  // Sets options that follow from others, and says what it did. `longest` is how long the longest window lasts, where
  // positions are times. May be null.
  std::string (*settle_in_model)(EncodingOptions&, std::optional<double> longest) = {};

  bool learned() const { return start_values != nullptr; }
  bool has_table() const { return make != nullptr && kind != EncodingKind::kNone; }
};

// A setting that applies to an encoding, besides length and dim.
struct CatalogParameter {
  std::string field;          // "rho"
  std::string default_value;  // "10000"
  std::string meaning;
};
FAITHFUL_API std::vector<CatalogParameter> parameters_of(const CatalogEntry& entry);

// The encodings, in the order in which docs/encodings.md explains them.
FAITHFUL_API const std::vector<CatalogEntry>& encoding_catalog();

// The entry of that name, or of that former name; InputError with suggestions if there is none.
FAITHFUL_API const CatalogEntry& catalog_entry(const std::string& name);

// The present name of an encoding, and its name in hashed keys: the former name, if it has one. A name that is not in
// the catalog is returned unchanged.
FAITHFUL_API std::string current_name(const std::string& name);
FAITHFUL_API std::string key_name(const std::string& name);

}  // namespace faithful
