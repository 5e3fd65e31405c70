#include <cmath>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/spe_operators_internal.h"

namespace faithful {

namespace {

const OwnOption kVariant{
    {"spe", "V", "processes that are sums of sines (sine), or filtered noise (conv)", {.choices = {"sine", "conv"}}},
    "sine"};
const OwnOption kRealizations{{"spe_realizations",
                               "R",
                               "realizations of each process: the width of queries and keys",
                               {.least = 1, .most = 4096}},
                              std::size_t{64}};
const OwnOption kSines{{"spe_sines", "K", "sines of each process", {.least = 1, .most = 1024}}, std::size_t{5}};
const OwnOption kTaps{{"spe_kernel", "P", "taps of each filter of noise", {.least = 1, .most = 65536}},
                      std::size_t{32}};

struct SpeSizes {
  explicit SpeSizes(const EncodingOptions& options)
      : conv(options.own.text("spe") == "conv"),
        coordinates(options.dim),
        realizations(options.own.whole("spe_realizations")),
        sines(options.own.whole("spe_sines")),
        taps(options.own.whole("spe_kernel")) {}

  // Noise of the processes of so many rows, and then that of the gates.
  std::size_t noise(std::size_t rows) const {
    return (conv ? rows + taps - 1 : 2 * sines) * coordinates * realizations;
  }
  std::size_t gate_noise() const { return coordinates * realizations; }

  bool conv;
  std::size_t coordinates, realizations, sines, taps;  // C = H d_h, R, K, P
};

void check_spe(const EncodingOptions& options) {
  head_width(options);
  const SpeSizes of(options);
  checked_product({of.coordinates, of.realizations, of.conv ? options.length + of.taps : 2 * of.sines},
                  "spe_realizations");
}

// The parameters: frequencies, phases, gains [C, K], or the filters of queries and keys [P, C]; then gates [C] of a layer.
std::vector<double> start_spe(const EncodingOptions& options) {
  const SpeSizes of(options);
  Random random(options.seed, stream_of("spe"));
  std::vector<double> values;
  const auto normal = [&](std::size_t count, double mean) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(mean + random.normal());
  };
  if (of.conv) {
    const double bound = std::sqrt(2 / static_cast<double>(of.taps));
    for (std::size_t i = 0; i < 2 * of.taps * of.coordinates; ++i) values.push_back(random.uniform(0, bound));
  } else {
    normal(of.coordinates * of.sines, -4);  // low frequencies
    normal(2 * of.coordinates * of.sines, 0);
    for (std::size_t c = 0; c < of.coordinates; ++c) {
      const std::span gains = std::span(values).subspan((2 * of.coordinates + c) * of.sines, of.sines);
      double square = 0;
      for (const double gain : gains) square += gain * gain;
      for (double& gain : gains) gain *= 2 / std::pow(square, 0.25);
    }
  }
  normal(of.coordinates, 0);
  return values;
}

// For query i and key j of a head, the sum over its coordinates c of q_c k_c becomes sum_c q_c k_c P_c(i, j), where P_c is
// the covariance of two random processes: in each of R realizations, sum_c q_c Q_c(i) meets sum_c k_c K_c(j). Training
// draws new noise in every step, keyed by seed and step; predictions always take the noise of the encoding's seed.
template <class T>
class StochasticCodes final : public InModel<T> {
 public:
  StochasticCodes(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters), of_(place.options) {
    const auto start = engine::zeros();
    if (of_.conv) {
      shared_ = {parameters.declare("encoding.query_filter", {of_.taps, of_.coordinates}, start, false),
                 parameters.declare("encoding.key_filter", {of_.taps, of_.coordinates}, start, false)};
    } else {
      for (const char* name : {"encoding.frequencies", "encoding.phases", "encoding.gains"}) {
        shared_.push_back(parameters.declare(name, {of_.coordinates, of_.sines}, start, false));
      }
    }
    for (std::size_t l = 0; l < place.layers; ++l) {
      gates_.push_back(parameters.declare(place.layer(l) + "gate", {of_.coordinates}, start, false));
    }
  }

  void fill_tables() override {
    noise_.resize(of_.noise(place_.rows()) + of_.gate_noise());
    draw(place_.options.seed, 0, noise_);
  }

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    EncodingOptions options = place_.options;
    options.seed = seed;
    const std::vector<double> start = start_spe(options);
    std::span<const double> rest(start);
    for (const Parameter parameter : shared_) {
      const std::size_t count = parameters.values_of(parameter).size();
      write_values(parameters, parameter, rest.first(count));
      rest = rest.subspan(count);
    }
    for (const Parameter gate : gates_) write_values(parameters, gate, rest);
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    std::span<const T> noise = noise_;
    if (tape.training()) {
      const std::span<T> drawn(tape.arena().template take<T>(noise_.size()), noise_.size());
      draw(tape.draws().seed, tape.draws().step, drawn);
      noise = drawn;
    }
    const std::size_t rows = place_.rows(), realizations = of_.realizations;
    const std::span<const T> of_processes = noise.first(of_.noise(rows));
    for (const std::size_t key : {0, 1}) {
      pass.kept[key] = of_.conv ? filtered_processes(tape, tape[shared_[key]], of_processes, rows, realizations)
                                : sine_processes(tape, tape[shared_[0]], key == 1 ? Tensor<T>{} : tape[shared_[1]],
                                                 tape[shared_[2]], of_processes, rows, realizations);
    }
    pass.kept[2] = tape.input(noise.data() + of_processes.size(), {of_.coordinates, realizations});
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    const std::span<const T> noise(pass.kept[2].data, of_.gate_noise());
    const auto weighed = [&](Tensor<T> x, Tensor<T> processes) {
      return weigh_processes(tape, x, gated_processes(tape, processes, tape[gates_[layer]], noise), place_.heads());
    };
    inputs.query = weighed(inputs.query, pass.kept[0]);
    inputs.key = weighed(inputs.key, pass.kept[1]);
    inputs.scale = 1 / (static_cast<double>(of_.realizations) * std::sqrt(static_cast<double>(place_.head_width)));
  }

 private:
  static void draw(std::uint64_t seed, std::uint32_t step, std::span<T> noise) {
    Random random(seed, stream_of("spe.noise") + step);
    for (T& value : noise) value = static_cast<T>(random.normal());
  }

  using InModel<T>::place_;
  const SpeSizes of_;
  std::vector<Parameter> shared_, gates_;  // as start_spe() has them
  std::vector<T> noise_;                   // of predictions
};

}  // namespace

CatalogEntry spe_entry() {
  return {.name = "spe",
          .kind = EncodingKind::kStochastic,
          .description = "queries and keys times random processes with learned covariances",
          .enters = "queries and keys",
          .citation = "Liutkus et al. 2021, Relative Positional Encoding for Transformers with Linear Complexity",
          .options = {kVariant, kRealizations, kSines, kTaps},
          .start = "sine: frequencies sigmoid(N(-4, 1)) / 2, phases and gains N(0, 1); conv: filters U(0, sqrt(2/P))",
          .seeded = true,
          .make = nullptr,
          .start_values = start_spe,
          .check = check_spe,
          .in_model = &kInModel<StochasticCodes>};
}

}  // namespace faithful
