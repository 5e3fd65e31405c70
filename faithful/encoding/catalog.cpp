#include "faithful/encoding/catalog.h"

#include "faithful/base/error.h"

namespace faithful {

#define FAITHFUL_ENCODING(name) CatalogEntry name##_entry();
#include "faithful/encoding/encodings.inc"
#undef FAITHFUL_ENCODING

const std::vector<CatalogEntry>& encoding_catalog() {
  static const std::vector<CatalogEntry> catalog = {
#define FAITHFUL_ENCODING(name) name##_entry(),
#include "faithful/encoding/encodings.inc"
#undef FAITHFUL_ENCODING
  };
  return catalog;
}

namespace {

const CatalogEntry* find_entry(const std::string& name) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.name == name || (!name.empty() && entry.former_name == name)) return &entry;
  }
  return nullptr;
}

}  // namespace

const CatalogEntry& catalog_entry(const std::string& name) {
  if (const CatalogEntry* entry = find_entry(name)) return *entry;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) names.push_back(entry.name);
  reject({{.field = "encoding"}, "the name of an encoding", quote(name), suggest(name, names)});
}

std::vector<CatalogParameter> parameters_of(const CatalogEntry& entry) {
  std::vector<CatalogParameter> all;
  for (const OwnOption& option : entry.options) {
    const std::string standard = option.field.shown_default.value_or(to_text(option.standard));
    if (option.in_table) all.push_back({option.field.name, standard, option.field.help});
  }
  const bool in_input = entry.kind == EncodingKind::kAdditive || entry.kind == EncodingKind::kConcatenated ||
                        entry.kind == EncodingKind::kFromSignal;
  if (!in_input && entry.kind != EncodingKind::kNone) {
    all.push_back({"heads", "8", "number of heads; a head has width dim / heads"});
  }
  if (entry.kind == EncodingKind::kAdditive) {
    all.push_back({"scale", "as-defined", "as-defined, unit, matched or a factor"});
  }
  if (entry.seeded) all.push_back({"seed", "1", "seed of random codes and initial values"});
  if (entry.real_positions) all.push_back({"positions", "none", "real-valued positions instead of 0..S-1"});
  return all;
}

std::string current_name(const std::string& name) {
  const CatalogEntry* entry = find_entry(name);
  return entry == nullptr ? name : entry->name;
}

std::string key_name(const std::string& name) {
  const CatalogEntry* entry = find_entry(name);
  return entry == nullptr || entry->former_name.empty() ? name : entry->former_name;
}

}  // namespace faithful
