#include <memory>

#include <fmt/format.h>

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

std::string in_full(const CatalogEntry& entry) {
  std::string text = fmt::format("{}: {}\n  enters     {}\n  learned    {}\n", entry.name, entry.description,
                                 entry.enters, entry.learned() ? "yes; starts as " + entry.start : "no");
  for (const CatalogParameter& parameter : entry.parameters) {
    text += fmt::format("  {:<10} {} [{}]\n", parameter.option, parameter.meaning, parameter.default_value);
  }
  return text + fmt::format("  from       {}\n", entry.citation);
}

Json as_json(const CatalogEntry& entry) {
  Json parameters = Json::array();
  for (const CatalogParameter& parameter : entry.parameters) {
    parameters.push_back(Json::Object{
        {"option", parameter.option}, {"default", parameter.default_value}, {"meaning", parameter.meaning}});
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
    print(text + "\nfaithful list NAME tells all about one of them.\n");
  }
}

}  // namespace

Command list_verb() {
  const auto options = std::make_shared<ListOptions>();
  return {.name = "list",
          .summary = "the encodings there are",
          .description =
              "Shows the catalog of positional encodings: what each is, where it enters a Transformer, its "
              "parameters and where it comes from.",
          .options = {{.name = "NAME", .target = &options->name, .help = "one encoding, in full"},
                      {.name = "--json", .target = &options->json, .help = "print JSON"}},
          .examples = {{"faithful list", "every encoding, a line each"},
                       {"faithful list dft", "all about the DFT encoding"}},
          .run = [options] { list(*options); }};
}

}  // namespace faithful::app
