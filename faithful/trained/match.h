#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/trained/trained_model.h"

namespace faithful {

// Which column of the data holds each channel of a model.
struct ChannelMatch {
  std::vector<std::size_t> columns = {};  // [C], of each channel of the model, from 0
  std::vector<std::string> notes = {};    // what the user should know, a line each
};

// Matches by name, in any order. Columns that the model does not know are ignored. If the data or the model has only
// numbered names (channel_1, channel_2, ..) and their counts agree, matches by position. InputError names what is
// missing.
FAITHFUL_API ChannelMatch match_channels(const std::vector<std::string>& channels,
                                         const std::vector<std::string>& columns, const std::string& place);

// From now on every series is scaled by the statistics of this training series. InputError if the model has none for
// it.
FAITHFUL_API void scale_as(TrainedModel& model, const std::string& series);

// What to say when a model with statistics of several series scores new data (prediction_scaler); else empty.
FAITHFUL_API std::string scaling_note(const TrainedModel& model);

// What to say where the times of the data have another usual step, in seconds, than those of the training, by more than a
// third; else empty. Windows are counted in samples: at another rate they cover another time.
FAITHFUL_API std::string step_note(const std::string& place, double step, const TrainedModel& model);

// Makes a data set fit the model: its channels as above, its classes (where it has labels) those of the model by name.
// Returns notes for the user. InputError where channels are missing or a class is unknown, a series is longer than the
// model's (models of whole series) or shorter than all that it was trained on (models of windows), or times are
// missing.
FAITHFUL_API std::vector<std::string> fit_to_model(Dataset& dataset, const TrainedModel& model);

// Options for reading a table, or a folder of tables, that is to fit the model. What the options do not say is as in its
// training: the columns of time (with format and unit), label, series and part, those that were ignored, the decimal
// sign, what becomes of missing values. Columns that the model does not know may hold anything, and are left out; a note
// says so. Without labels, the column of labels is left out, too. Columns that are not there are no error, but channels
// are: InputError.
FAITHFUL_API std::vector<std::string> settle_reading(const std::string& path, const TrainedModel& model,
                                                     ReadOptions& options, bool with_labels = true);

// Reads a data set so and makes it fit the model. The notes of all steps are the data set's.
FAITHFUL_API Dataset load_for_model(const std::string& path, const TrainedModel& model, ReadOptions options = {},
                                    bool with_labels = true);

}  // namespace faithful
