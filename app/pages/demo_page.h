#pragma once

// The page of `faithful demo`: the answer in three sentences, then what it rests on.

#include <optional>
#include <string>
#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/diagnose/diagnose.h"
#include "faithful/evaluate/evaluation.h"
#include "faithful/metrics/bootstrap.h"
#include "faithful/report/table.h"

namespace faithful::app {

// Predictions for the test trips.
struct DemoRow {
  std::string name;
  Scores scores;
  std::optional<Interval> interval;  // of F1
};

struct DemoContent {
  std::string encoding;           // of the model
  std::vector<DemoRow> rows;      // the model, the same without an encoding, the linear model, all positive, random
  Bootstrap gain;                 // F1 of the first row minus that of the second
  std::size_t train_trips = 0;    // with the trips that validate
  std::vector<std::string> made;  // how the data and the models were made, a line each
  const DiagnosisReport& report;  // of the test trips
  const std::vector<Analysis>& analyses;  // of Figures 1 and 2
};

// What the demo shows, with the numbers of this run: how often the model is right, what others get, its diagnosis.
std::vector<std::string> demo_sentences(const DemoContent& content);

Table demo_scores_table(const DemoContent& content);

// Writes report.html, scores.csv and every figure as .svg and .csv into the folder. Returns the path of the page.
std::string write_demo_page(const std::string& folder, const DemoContent& content);

}  // namespace faithful::app
