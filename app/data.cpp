#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/pages/data_page.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/data/audit.h"
#include "faithful/data/catalogue.h"
#include "faithful/data/read.h"
#include "faithful/data/write.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct InfoOptions {
  std::string path;
  DataArguments data;
  bool json = false;
  bool verify = false;
  std::string output;     // folder of the page; empty: none
  std::size_t drawn = 4;  // series on the page
};

void verify(const std::string& path, bool quiet) {
  const Verification found = verify_files(path);
  if (found.set.empty()) reject({{path}, "files of a known data set", "none", "faithful data list"});
  if (!found.different.empty()) {
    reject({{found.different[0]},
            fmt::format("the file of {} that was published", found.set),
            fmt::format("another SHA-256 ({} of {} known files differ)", found.different.size(),
                        found.different.size() + found.matching)});
  }
  if (quiet) return;
  print(fmt::format("verified: {} files of {} have the digests we know, {} known files are absent\n", found.matching,
                    found.set, found.absent.size()));
}

void info(const InfoOptions& options) {
  const std::string path = find_data(options.path, options.data.options.data_dir);
  if (options.verify) verify(path, options.json);
  const Dataset dataset = load_dataset(path, options.data);
  const Audit found = audit(dataset);
  print(options.json ? audit_json(found) : audit_text(found));
  if (!options.output.empty()) write_data_page(dataset, found, options.output, options.drawn, options.json);
}

struct ConvertOptions {
  std::string from, to;
  DataArguments data;
};

void convert(const ConvertOptions& options) {
  const Dataset dataset = load_dataset(options.from, options.data);
  for (const std::string& note : dataset.notes) print(note + "\n");
  const std::vector<std::string> notes = save_dataset(dataset, options.to);
  print(fmt::format("{}: {} series, {} rows, {} channels\n", options.to, dataset.series.size(), dataset.rows(),
                    dataset.channels.size()));
  for (const std::string& note : notes) print(note + "\n");
}

void list(bool json) {
  if (json) {
    Json all = Json::array();
    for (const KnownSet& set : known_sets()) {
      all.push_back(Json::Object{{"name", set.name},
                                 {"about", set.about},
                                 {"shape", set.shape},
                                 {"published", set.published},
                                 {"licence", set.licence},
                                 {"format", set.format}});
    }
    print(dump_json(all, JsonLayout::kPretty));
    return;
  }
  std::string text;
  for (const KnownSet& set : known_sets()) {
    text += fmt::format("{}: {}\n  {}; format {}\n  published at {}; licence: {}\n", set.name, set.about, set.shape,
                        set.format, set.published, set.licence);
  }
  print(text + "\nThe program never touches the network: get a set yourself, then faithful data info PATH --verify.\n");
}

Command info_verb() {
  const auto options = std::make_shared<InfoOptions>();
  options->data.missing = "keep";  // an audit counts what is missing
  std::vector<Option> list = {
      {.name = "PATH",
       .target = &options->path,
       .help = "a file or folder: .csv .tsv .txt (also .gz) .npy .npz .ts .arff .h5, SMD, telemanom, UEA",
       .required = true},
      {.name = "--json", .target = &options->json, .help = "print JSON"},
      {.name = "--verify", .target = &options->verify, .help = "check the digests of published files"},
      {.name = "-o,--output",
       .target = &options->output,
       .value = "DIR",
       .help = "write a page with every channel drawn"},
      {.name = "--drawn", .target = &options->drawn, .value = "N", .help = "series on the page", .at_least = 1}};
  for (const Option& option : data_option_list(options->data)) list.push_back(option);
  return {.name = "info",
          .summary = "what is in a data set",
          .description =
              "Audits a data set, each part apart: shape, channels, rate, missing and constant channels, labels, "
              "labelled spans and where they lie, and what two trivial answers would score.",
          .options = list,
          .examples = {{"faithful data info pump.csv --time time --label broken", "a table with labels"},
                       {"faithful data info SMD --verify", "a published set, below FAITHFUL_DATA"},
                       {"faithful data info x.npy --axes tc -o page", "an array, with a page of drawings"}},
          .run = [options] { info(*options); }};
}

Command convert_verb() {
  const auto options = std::make_shared<ConvertOptions>();
  std::vector<Option> list = {{.name = "FROM",
                               .target = &options->from,
                               .help = "a file or folder that `faithful data info` reads",
                               .required = true},
                              {.name = "TO",
                               .target = &options->to,
                               .help = "a file .npz, .csv, .csv.gz, .ts or .h5 (DFStrans layout)",
                               .required = true}};
  for (const Option& option : data_option_list(options->data)) list.push_back(option);
  return {
      .name = "convert",
      .summary = "a data set in another format",
      .description =
          "Writes a data set as .npz (all of it), .csv, .ts or the DFStrans layout of HDF5. Numbers stay the same to "
          "the bit (float32). Says what the format cannot hold.",
      .options = list,
      .examples = {{"faithful data convert SMD smd.npz --part test", "the labelled half of SMD in one file"},
                   {"faithful data convert pump.csv pump.npz --time time --label broken", "a table with labels"}},
      .run = [options] { convert(*options); }};
}

Command list_verb_of_data() {
  const auto json = std::make_shared<bool>(false);
  return {.name = "list",
          .summary = "public data sets and where they are published",
          .description = "Lists the public data sets that the program reads, with where their originals are published.",
          .options = {{.name = "--json", .target = json.get(), .help = "print JSON"}},
          .examples = {{"faithful data list", "all of them"}},
          .run = [json] { list(*json); }};
}

}  // namespace

Command data_verb() {
  return {.name = "data",
          .summary = "reads, audits, converts and simulates data sets",
          .description =
              "Data sets of time series: what is in them, the same in another format, and where to get public ones.",
          .examples = {{"faithful data info pump.csv --label broken", "what is in a table"},
                       {"faithful data list", "public data sets"}},
          .verbs = {info_verb(), convert_verb(), elevator_verb(), list_verb_of_data()}};
}

}  // namespace faithful::app
