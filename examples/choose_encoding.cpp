// Compares encodings on a data set by cross-validation inside its training part. It never scores the test part.
//
//   choose_encoding [SET [ENCODING...]]
//
// SET is a folder or file that `faithful train --split given` takes. Without SET, the example makes a small data set:
// each sensor has one pulse, and the class is which pulse came first.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/data/read.h"
#include "faithful/train/fit_details.h"

namespace {

using namespace faithful;

Dataset which_came_first() {
  Dataset data{.name = "pulses", .channels = {"a", "b"}, .classes = {"a first", "b first"}};
  Random random(1);
  for (std::size_t n = 0; n < 150; ++n) {
    Series series{.name = "series " + std::to_string(n), .part = n < 130 ? DataPart::kTrain : DataPart::kTest};
    series.values = Matrix<float>(32, 2);
    for (float& value : series.values.values) value = static_cast<float>(0.1 * random.normal());
    series.label = static_cast<std::int32_t>(n % 2);
    const std::size_t first = random.below(12), second = first + 10 + random.below(10);  // no filter sees both
    series.values.row(first)[n % 2] += 1;
    series.values.row(second)[1 - n % 2] += 1;
    data.series.push_back(series);
  }
  return data;
}

// The mean accuracy over folds, at the best epoch.
double cross_validated(const Dataset& data, FitOptions options, ThreadPool& pool) {
  options.score_test = false;
  double best = 0;
  for (const EpochRecord& epoch : fit_in_detail(data, options, pool).mean_of_folds) {
    best = std::max(best, epoch.accuracy);
  }
  return best;
}

int compare(const std::vector<std::string>& arguments) {
  const Dataset data = arguments.empty() ? which_came_first() : load_dataset(arguments[0]);
  std::vector<std::string> encodings(arguments.empty() ? arguments.begin() : arguments.begin() + 1, arguments.end());
  if (encodings.empty()) encodings = {"none", "sinusoidal", "dft"};
  FitOptions options;
  options.split = {.kind = SplitKind::kGiven, .window = {.length = 0}};
  if (arguments.empty()) options.train.epochs = 12;
  ThreadPool pool;
  for (const std::string& encoding : encodings) {
    options.model = preset("small");
    options.model.position.encoding = encoding;
    std::printf("%s, %s: accuracy %.3f by cross-validation\n", data.name.c_str(), encoding.c_str(),
                cross_validated(data, options, pool));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return compare({words + 1, words + count});
  } catch (const faithful::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
