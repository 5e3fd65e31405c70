#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/train/fit.h"
#include "faithful/train/train.h"

namespace faithful::train {

// One of several trainings of a job that do not depend on each other: folds, members of an ensemble.
struct Training {
  const ModelConfig* config = nullptr;
  const WindowSets* sets = nullptr;
  TrainOptions options = {};
  std::string title = {};    // "fold 2 of 5"
  bool keep_scores = false;  // as in TrainControl
};

struct Trained {
  Classifier<float> model;
  TrainResult result = {};
};

// Which trainings of the job these are: their checkpoints have numbers.
struct TrainingNumbers {
  std::size_t first = 0;  // from 0
  std::size_t all = 1;    // of the whole job
};

// Trains them on the threads of the pool: each on one thread, or a single one on all of them. With ranks one after the
// other, each on all ranks and threads. The bits do not depend on it. One that the caller stops, or that fails, stops the others, too; each saves its checkpoint.
std::vector<Trained> train_side_by_side(std::span<const Training> trainings, const TrainingNumbers& numbers,
                                        const Identity& identity, const FitControl& control, ThreadPool& pool);

bool was_stopped(std::span<const Trained> trained);

}  // namespace faithful::train
