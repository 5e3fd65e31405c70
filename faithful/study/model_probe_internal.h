#pragma once

// What diagnosis asks a classifier about one window: its logit under changes, its attention, its gradient.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "faithful/engine/tape.h"
#include "faithful/model/classifier.h"
#include "faithful/study/occlusion.h"

namespace faithful::study {

// One scaled window as the model takes it; the caller's memory.
struct ProbedWindow {
  std::span<const float> values;        // [length, C]
  std::span<const std::uint8_t> valid;  // [length]; empty: no padding
  std::span<const float> times;         // [length]; empty: positions are numbers
};

class ModelProbe {
 public:
  ModelProbe(const Classifier<float>& classifier, std::size_t looked_for)
      : classifier_(classifier), looked_for_(looked_for) {}

  const ModelConfig& config() const { return classifier_.config(); }

  // Of windows with the padding and the times of this one, which must outlive it.
  WindowLogit logit(const ProbedWindow& window) const;

  // Of the logit by the window's values: [length, C]
  std::vector<float> gradient(const ProbedWindow& window) const;

  // Attention weights of the window, of this layout (AttentionMaps) without B.
  struct Maps {
    std::vector<float> values, temporal, spatial;
  };
  Maps attention(const ProbedWindow& window) const;
  static std::size_t map_numbers(const ModelConfig& config);  // in all maps of a window

 private:
  // A tape that no other thread has; it is given back at the end of the scope.
  class Borrowed {
   public:
    explicit Borrowed(const ModelProbe& probe);
    ~Borrowed();
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    engine::Tape<float>& operator*() const { return *tape_; }

   private:
    const ModelProbe& probe_;
    std::unique_ptr<engine::Tape<float>> tape_;
  };

  Samples<float> samples_of(const ProbedWindow& window) const;

  const Classifier<float>& classifier_;
  std::size_t looked_for_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<engine::Tape<float>>> free_;
};

}  // namespace faithful::study
