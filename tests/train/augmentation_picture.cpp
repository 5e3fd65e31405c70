// Draws the picture of docs/classifier.md: one simulated trip of a lift before and after each augmentation, by the code
// that training uses.
//   augmentation_picture docs/img     writes augmentation.svg there
//   augmentation_picture              draws it and prints its size

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "faithful/report/figure.h"
#include "faithful/simulate/trip.h"
#include "faithful/train/augment_internal.h"

namespace {

using namespace faithful;

constexpr std::size_t kSamples = 200;
constexpr double kSeconds = 20;
constexpr std::size_t kTrip = 11;  // a long ride up
constexpr std::uint64_t kSeed = 4;
constexpr Channel kShown[] = {kVc, kIq, kAz};  // the first is drawn; the others can be mixed into it
constexpr std::size_t kShownCount = std::size(kShown);

// The channels of one normal trip, each with mean 0 and deviation 1, as the scaler leaves them. [kSamples, kShownCount]
std::vector<float> scaled_trip() {
  ElevatorOptions options;
  options.samples = kSamples;
  const Trip trip = simulate_trip(options, Rail(options.lift, options.seed), {DataPart::kTrain, kTrip}, std::nullopt);
  std::vector<float> window(kSamples * kShownCount);
  for (std::size_t c = 0; c < kShownCount; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t t = 0; t < kSamples; ++t) {
      const double value = trip.values(t, kShown[c]);
      sum += value, squares += value * value;
    }
    const double mean = sum / kSamples, deviation = std::sqrt(squares / kSamples - mean * mean);
    for (std::size_t t = 0; t < kSamples; ++t)
      window[t * kShownCount + c] = static_cast<float>((trip.values(t, kShown[c]) - mean) / deviation);
  }
  return window;
}

Curve curve_of(const std::vector<float>& window, const char* ink) {
  Curve curve{.name = "", .x = {}, .y = {}, .ink = ink, .dash = 1};
  for (std::size_t t = 0; t < kSamples; ++t) {
    curve.x.push_back(kSeconds * static_cast<double>(t) / kSamples);
    curve.y.push_back(window[t * kShownCount]);
  }
  return curve;
}

Panel panel_of(const char* title, const Augmentation& options, const std::vector<float>& window) {
  Panel panel{.title = title,
              .x = {.label = "time", .unit = "s", .low = 0, .high = kSeconds},
              .y = {.label = "car speed, scaled", .low = -2, .high = 2},
              .legend = Legend::kNone};
  constexpr const char* kInks[] = {"learned", "dft"};  // green, blue
  for (std::size_t draw = 0; draw < std::size(kInks); ++draw) {
    Random random(kSeed, stream_of("augmentation picture") + draw);
    std::vector<float> changed(window.size());
    train::augment_into(options, random, window, kShownCount, changed);
    panel.curves.push_back(curve_of(changed, kInks[draw]));
  }
  panel.curves.push_back(curve_of(window, "none"));
  return panel;
}

Figure draw() {
  const std::vector<float> window = scaled_trip();
  Figure figure{.name = "augmentation", .panels = {}, .columns = 3, .panel_width = 300, .panel_height = 220};
  const std::pair<const char*, Augmentation> all[] = {
      {"--warp 0.5", {.warp = 0.5}}, {"--crop 0.3", {.crop = 0.3}},     {"--mix 0.5", {.mix = 0.5}},
      {"--gain 0.3", {.gain = 0.3}}, {"--jitter 0.1", {.jitter = 0.1}}, {"--cutout 0.3", {.cutout = 0.3}}};
  for (const auto& [title, options] : all) figure.panels.push_back(panel_of(title, options, window));
  return figure;
}

}  // namespace

int main(int count, char** arguments) {
  const Figure figure = draw();
  const Rendering picture = render(figure);
  if (!picture.problem.empty()) {
    std::fprintf(stderr, "no picture: %s\n", picture.problem.c_str());
    return 1;
  }
  std::printf("%s.svg: %zu bytes\n", figure.name.c_str(), picture.bytes.size());
  if (count < 2) return 0;
  std::ofstream file(std::string(arguments[1]) + "/" + figure.name + ".svg", std::ios::binary);
  file << picture.bytes;
  return file.flush() ? 0 : 1;
}
