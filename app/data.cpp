#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/pages/data_page.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/data/audit.h"
#include "faithful/data/catalogue.h"
#include "faithful/data/read.h"
#include "faithful/data/suspicions.h"
#include "faithful/data/write.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct InfoOptions {
  std::string path;
  ReadOptions data;
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
            fmt::format("the published file of {}", found.set),
            fmt::format("another SHA-256 ({} of {} known files differ)", found.different.size(),
                        found.different.size() + found.matching)});
  }
  if (quiet) return;
  print_ahead(fmt::format("verified: {} files of {} have the known digests, {} known files are absent\n",
                          found.matching, found.set, found.absent.size()));
}

void info(const InfoOptions& options) {
  const std::string path = find_data(options.path, options.data.data_dir);
  if (options.verify) verify(path, options.json);
  check_output_apart(options.output, path, options.data);
  const Dataset dataset = read_dataset(path, options.data);
  Audit found = audit(dataset);
  for (const std::string& text : suspicions(dataset)) found.notes.push_back(spelled(text, flag_text));
  std::string page;
  if (!options.output.empty()) page = write_data_page(dataset, found, options.output, options.drawn);
  print(options.json ? audit_json(found) : audit_text(found));
  if (!options.json && !page.empty()) print(page + "\n");
}

struct ConvertOptions {
  std::string from, to;
  ReadOptions data;
};

void convert(const ConvertOptions& options) {
  check_output_apart(options.to, options.from, options.data);
  const Dataset dataset = read_dataset(options.from, options.data);
  for (const std::string& note : dataset.notes) print_ahead(note + "\n");
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
  print(text +
        "\nThe program does not use the network: download a data set, then run faithful data info PATH --verify.\n");
}

Command info_verb() {
  const auto options = std::make_shared<InfoOptions>();
  options->data.missing = Missing::kKeep;  // an audit counts what is missing
  const std::vector<Option> path = {
      {"PATH", &options->path,
       "a file or folder: .csv .tsv .txt (also .gz) .npy .npz .ts .arff .h5, SMD, telemanom, UEA", required},
      {"--verify", &options->verify, "compare the files with the published SHA-256 digests", common}};
  const std::vector<Option> output = {
      {"-o,--output DIR", &options->output, "folder for a page with plots of the channels", common},
      {"--drawn N", &options->drawn, "number of series on the page", at_least(1)},
      {"--json", &options->json, "print JSON", common}};
  return {
      .name = "info",
      .summary = "shows what is in a data set",
      .description =
          "Audits each part of a data set: shape, channels, sampling rate, missing values, constant channels, "
          "labels, columns that give them away, where the labelled spans lie, and the scores of two trivial baselines.",
      .options = joined({grouped("Data", path), data_option_list(options->data), grouped("Output", output)}),
      .examples = {{"faithful data info pump.csv --time time --label broken", "a table with labels"},
                   {"faithful data info SMD --verify", "a public data set in the folder FAITHFUL_DATA"},
                   {"faithful data info x.npy --axes tc -o page", "an array, with a page of plots"}},
      .run = [options] { info(*options); }};
}

Command convert_verb() {
  const auto options = std::make_shared<ConvertOptions>();
  std::vector<Option> list = {
      {"FROM", &options->from, "a file or folder that faithful data info reads", required},
      {"TO", &options->to, "a file that ends in .npz, .csv, .csv.gz, .ts or .h5 (DFStrans layout)", required}};
  return {
      .name = "convert",
      .summary = "writes a data set in another format",
      .description =
          "Writes a data set as .npz (everything), .csv, .ts or HDF5 in the DFStrans layout. Values stay the same to "
          "the bit (float32). Notes say what the format cannot hold.",
      .options = joined({list, data_option_list(options->data)}),
      .examples = {{"faithful data convert SMD smd.npz --part test", "the labelled half of SMD in one file"},
                   {"faithful data convert pump.csv pump.npz --time time --label broken", "a table with labels"}},
      .run = [options] { convert(*options); }};
}

Command list_verb_of_data() {
  const auto json = std::make_shared<bool>(false);
  return {.name = "list",
          .summary = "lists public data sets",
          .description = "Lists the public data sets that the program reads, and where they are published.",
          .options = {{"--json", json.get(), "print JSON"}},
          .examples = {{"faithful data list", "all data sets"}},
          .run = [json] { list(*json); }};
}

}  // namespace

Command data_verb() {
  return {
      .name = "data",
      .summary = "checks, converts and simulates data sets",
      .description = "Shows what is in a data set of time series, converts it, simulates one, and lists public ones.",
      .examples = {{"faithful data info pump.csv --label broken", "a table of sensor readings"},
                   {"faithful data list", "public data sets"}},
      .verbs = {info_verb(), convert_verb(), elevator_verb(), list_verb_of_data()}};
}

}  // namespace faithful::app
