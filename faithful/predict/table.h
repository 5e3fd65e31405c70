#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/read.h"
#include "faithful/predict/predictor.h"

namespace faithful {

// Some rows of a table, and what the model says about windows in them.
struct TablePiece {
  const Dataset& rows;       // one series; windows are places in it
  std::size_t offset;        // of its first row in the table
  const Predictions& found;  // of the windows that end in this piece
};

// Scores a table of one series (see can_stream) that may be larger than memory: reads some MB at a time and keeps the
// rows that the next window needs. Windows, and answers to the bit, are those of the whole table. Gives notes for the
// user to `note`. InputError as fit_to_model.
FAITHFUL_API void predict_table(Predictor& predictor, const std::string& path, const ReadOptions& options,
                                const std::function<void(const TablePiece&)>& take,
                                const std::function<void(const std::string&)>& note);

}  // namespace faithful
