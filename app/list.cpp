#include <memory>

#include <fmt/format.h>

#include "app/encoding_arguments.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct ListOptions {
  std::string name;  // one encoding in full; empty: all, a line each
  bool json = false;
};

// The flag of `encode` and `analyze` for a parameter of the catalog.
std::string flag_of(const CatalogParameter& parameter) {
  EncodingArguments arguments;
  for (const Option& option : encoding_option_list(arguments)) {
    if (option.field_name() == parameter.field) return option.long_name();
  }
  return parameter.field;
}

std::string in_full(const CatalogEntry& entry) {
  std::string text = fmt::format("{}: {}\n  enters     {}\n  learned    {}\n", entry.name, entry.description,
                                 entry.enters, entry.learned() ? "yes; starts as " + entry.start : "no");
  for (const CatalogParameter& parameter : parameters_of(entry)) {
    text += fmt::format("  {:<10} {} [{}]\n", flag_of(parameter), parameter.meaning, parameter.default_value);
  }
  return text + fmt::format("  from       {}\n", entry.citation);
}

Json as_json(const CatalogEntry& entry) {
  Json parameters = Json::array();
  for (const CatalogParameter& parameter : parameters_of(entry)) {
    parameters.push_back(Json::Object{
        {"option", flag_of(parameter)}, {"default", parameter.default_value}, {"meaning", parameter.meaning}});
  }
  return Json::Object{{"name", entry.name},       {"kind", to_string(entry.kind)}, {"description", entry.description},
                      {"enters", entry.enters},   {"learned", entry.learned()},    {"start", entry.start},
                      {"parameters", parameters}, {"citation", entry.citation}};
}

void list(const ListOptions& options) {
  std::vector<const CatalogEntry*> entries;
  if (!options.name.empty()) {
    entries = {&catalog_entry(options.name)};
  } else {
    for (const CatalogEntry& entry : encoding_catalog()) entries.push_back(&entry);
  }
  if (options.json) {
    Json all = Json::array();
    for (const CatalogEntry* entry : entries) all.push_back(as_json(*entry));
    print(dump_json(all, JsonLayout::kPretty));
  } else if (!options.name.empty()) {
    print(in_full(*entries.front()));
  } else {
    std::string text;
    for (const CatalogEntry* entry : entries) text += fmt::format("{:<18} {}\n", entry->name, entry->description);
    print(text + "\nfaithful list NAME shows one of them in full.\n");
  }
}

}  // namespace

Command list_verb() {
  const auto options = std::make_shared<ListOptions>();
  return {.name = "list",
          .summary = "lists the positional encodings",
          .description =
              "Lists the positional encodings: what each is, where it enters a Transformer, its parameters and the "
              "paper it comes from.",
          .options = {{"NAME", &options->name, "show this encoding in full"}, {"--json", &options->json, "print JSON"}},
          .examples = {{"faithful list", "one line per encoding"}, {"faithful list dft", "the DFT encoding in full"}},
          .run = [options] { list(*options); }};
}

}  // namespace faithful::app
