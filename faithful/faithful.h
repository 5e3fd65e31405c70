#pragma once

// Faithful: positional encodings, and small Transformers for sensor data. This header is the table of contents of the
// public interface: one include gives all of it. Headers that it does not reach are internal and are not installed.
//
//   const faithful::Dataset data = faithful::load_dataset("pump.csv", {.label = "hot"});
//   faithful::ThreadPool pool;
//   const faithful::TrainedModel model = faithful::fit_classifier(data, faithful::default_fit_options(data), pool);

// Data: series of time x channels with their labels, and how they are split, scaled and cut into windows.
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/data/write.h"
#include "faithful/simulate/elevator.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

// Models: fit one, save and load it, score it, predict with it in batches and streams, ask it which sensor and when.
#include "faithful/diagnose/diagnose.h"
#include "faithful/diagnose/words.h"
#include "faithful/evaluate/evaluation.h"
#include "faithful/model/config.h"
#include "faithful/predict/predict.h"
#include "faithful/predict/stream.h"
#include "faithful/train/fit.h"
#include "faithful/trained/match.h"
#include "faithful/trained/model_file.h"
#include "faithful/trained/trained_model.h"

// Encodings: the catalog, their tables, and what they keep of a position.
#include "faithful/analysis/analysis.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/encoding.h"

// What all of them use: errors, threads, JSON, the version of the library.
#include "faithful/base/error.h"
#include "faithful/base/threads.h"
#include "faithful/base/version.h"
#include "faithful/io/json.h"
