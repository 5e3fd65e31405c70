// Draws the pictures of docs/elevator.md: a normal trip, and what each fault does to a trip.
//   example_elevator_pictures docs/img     writes elevator_trip.svg and elevator_faults.svg there
//   example_elevator_pictures              draws them and prints their sizes

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "faithful/report/figure.h"
#include "faithful/simulate/elevator.h"
#include "faithful/simulate/trip.h"

namespace {

using namespace faithful;

// Keeps the lowest and highest sample of each of `places` stretches, so that a vibration keeps its height.
Curve curve_of(const Matrix<float>& values, std::size_t channel, std::size_t begin, std::size_t end, const char* name,
               std::size_t places = 90) {
  Curve curve{.name = name, .x = {}, .y = {}, .ink = name, .dash = 1};
  const std::size_t step = std::max<std::size_t>(1, (end - begin) / places);
  for (std::size_t t = begin; t < end; t += step) {
    std::size_t low = t, high = t;
    for (std::size_t i = t; i < std::min(end, t + step); ++i) {
      if (values(i, channel) < values(low, channel)) low = i;
      if (values(i, channel) > values(high, channel)) high = i;
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      if (!curve.x.empty() && curve.x.back() == static_cast<double>(i) / 400) continue;
      curve.x.push_back(static_cast<double>(i) / 400);
      curve.y.push_back(values(i, channel));
    }
  }
  return curve;
}

Axis axis_of(std::size_t channel) {
  const ChannelInfo& info = elevator_channels()[channel];
  return {.label = std::string(info.name), .unit = std::string(info.unit)};
}

Figure draw_trip(const Trip& trip) {
  Figure figure{.name = "elevator_trip", .panels = {}, .columns = 3, .panel_width = 300, .panel_height = 220};
  const std::size_t last = static_cast<std::size_t>((trip.plan.power_off + 0.5) * 400);
  const std::pair<Channel, const char*> shown[] = {{kZc, "car height"},       {kVc, "car speed"},
                                                   {kAz, "acceleration"},     {kIq, "current for torque"},
                                                   {kVq, "voltage"},          {kFc, "rope tension at the car"},
                                                   {kWt, "load cell"},        {kAx, "sideways vibration"},
                                                   {kAm, "machine vibration"}};
  for (const auto& [channel, title] : shown) {
    Panel panel{.title = title, .x = {.label = "time", .unit = "s"}, .y = axis_of(channel)};
    panel.curves.push_back(curve_of(trip.values, channel, 0, last, "normal"));
    panel.legend = Legend::kNone;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

// Replaces Phi by the extra length of the rope between sheave and car, caused by stretch and slip.
Matrix<float> with_stretch(Matrix<float> values) {
  for (std::size_t t = 0; t < values.rows; ++t) values(t, kPhi) = 0.25F * values(t, kPhi) - values(t, kZc);
  return values;
}

// A fault on the channel that shows it best, and the same trip without the fault.
Panel draw_fault(const ElevatorOptions& options, const Rail& rail, TripId id, const FaultInfo& info) {
  const Trip sick = simulate_trip(options, rail, id, info.kind), well = simulate_trip(options, rail, id, std::nullopt);
  const LabelSpan span = span_of(*sick.fault, options.samples);
  const bool is_rope = info.kind == FaultKind::kRopeSlip || info.kind == FaultKind::kRopeSlack;
  const bool is_load = info.kind == FaultKind::kLoadCell;
  const bool is_encoder = info.kind == FaultKind::kEncoder;
  const std::size_t channel = is_rope ? kPhi : is_load ? kVc : is_encoder ? kVd : span.channels.front();
  const auto go = static_cast<std::size_t>(sick.plan.go * 400);
  std::size_t begin = span.begin > 200 ? span.begin - 200 : 0, end = std::min(span.begin + 1000, options.samples);
  if (is_load)
    begin = go - 200, end = go + 300;  // as the brake opens
  else if (span.begin < go)
    begin = go + 600, end = go + 1600;
  Panel panel{.title = span.kind, .x = {.label = "time", .unit = "s"}, .y = axis_of(channel)};
  if (is_rope) panel.y = {.label = "r Phi - Zc", .unit = "m"};
  panel.curves.push_back(curve_of(with_stretch(sick.values), channel, begin, end, "faulty", 70));
  panel.curves.push_back(curve_of(with_stretch(well.values), channel, begin, end, "normal", 70));
  if (info.kind == FaultKind::kDropout) std::swap(panel.curves[0], panel.curves[1]);  // the stuck one on top
  panel.legend = is_load ? Legend::kTopLeft : Legend::kNone;
  return panel;
}

bool write(const Figure& figure, const char* folder) {
  const Rendering picture = render(figure);
  if (!picture.problem.empty()) {
    std::printf("%s: no picture: %s\n", figure.name.c_str(), picture.problem.c_str());
    return true;  // gnuplot is not installed, which is no error
  }
  std::printf("%s.svg: %zu bytes\n", figure.name.c_str(), picture.bytes.size());
  if (folder == nullptr) return true;
  std::ofstream file(std::string(folder) + "/" + figure.name + ".svg", std::ios::binary);
  file << picture.bytes;
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int count, char** arguments) {
  const char* folder = count > 1 ? arguments[1] : nullptr;
  const ElevatorOptions options;
  const Rail rail(options.lift, options.seed);
  const TripId id{DataPart::kTrain, 3};
  Figure faults{.name = "elevator_faults", .panels = {}, .columns = 3, .panel_width = 300, .panel_height = 220};
  for (const FaultInfo& info : fault_catalog()) faults.panels.push_back(draw_fault(options, rail, id, info));
  return write(draw_trip(simulate_trip(options, rail, id, std::nullopt)), folder) && write(faults, folder) ? 0 : 1;
}
