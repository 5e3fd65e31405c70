#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/crew.h"
#include "faithful/metrics/paired.h"
#include "faithful/train/fit.h"

// Which encoding suits a data set? Folds of its training part answer; the test part is never touched.

namespace faithful {

struct ChooseOptions {
  FitOptions fit = {};  // of a Transformer; its encoding is kept unless another is shown to be better
  std::vector<std::string> encodings = {"none", "sinusoidal", "dft", "spectral", "tape", "rope", "erpe"};
  std::size_t folds = 5;    // of the training part, at least 2
  std::size_t repeats = 4;  // of all folds, with other seeds, as long as there is time
  double minutes = 10;      // trainings are shortened so that all folds end in time; one that does not end is dropped
  double level = 0.95;      // of the intervals, and of what counts as shown
};

// How one encoding did.
struct EncodingScore {
  std::string name = {};
  std::vector<double> values = {};  // of each fold, in the order of the folds
  double mean = 0;
  MeanEstimate difference = {};  // to the first encoding, fold by fold (Nadeau and Bengio 2003)
  double p = 1;                  // of the difference, by Holm's correction over all encodings
  bool better = false;           // shown to be better than the first
};

struct EncodingChoice {
  std::vector<EncodingScore> scores = {};  // the encoding of `fit` first
  std::string encoding = {};               // the choice: the best one that is shown to be better, or the first
  std::string measure = {};                // accuracy, or AUC-PR where points have labels
  std::size_t folds = 0;                   // that ended, over all repeats
  std::size_t steps = 0, all_steps = 0;    // of a training: those done, and those of the options
  bool ran_out_of_time = false;            // before all repeats
};

// Trains every encoding on every fold, one training on each thread. A fold gives all encodings the same windows, batches
// and, where shapes agree, start values. The weights of the last step count: the scored fold chooses no epoch. The same
// folds and steps give the same numbers on any number of threads; how many there is time for depends on the machine.
// InputError where data and options do not fit. Error where fewer than two folds ended in time, or the caller stopped
// it. With a crew, several processes share the trainings. The first of them that has time says how many steps there is
// time for.
FAITHFUL_API EncodingChoice choose_encoding(const Dataset& dataset, const ChooseOptions& options, ThreadPool& pool,
                                            const FitControl& control = {}, Crew* crew = nullptr);

// The choice in one sentence.
FAITHFUL_API std::string sentence_of(const EncodingChoice& choice);

// Every number, as --json prints them.
FAITHFUL_API Json to_json(const EncodingChoice& choice);

}  // namespace faithful
