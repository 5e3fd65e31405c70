#pragma once

#include <vector>

#include "app/pages/page_writer.h"
#include "faithful/diagnose/words.h"

namespace faithful::app {

// Pictures of one alarm; `number` is its place in the report, from 0.

// The most suspect sensors over time, suspected spans shaded, with what is normal.
CaptionedFigure channels_figure(const DiagnosisReport& report, std::size_t number);

// What each method says about when.
CaptionedFigure profile_figure(const DiagnosisReport& report, std::size_t number);

// Which sensor looks at which; for models that attend over sensors.
CaptionedFigure where_figure(const DiagnosisReport& report, std::size_t number);

// What replacing a sensor during a span does to the logit.
CaptionedFigure occlusion_figure(const DiagnosisReport& report, std::size_t number);

// What each head attends to.
CaptionedFigure heads_figure(const DiagnosisReport& report, std::size_t number);

}  // namespace faithful::app
