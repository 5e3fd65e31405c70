#include <cmath>

#include <fmt/format.h>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/signal_operators_internal.h"

namespace faithful {

namespace {

const OwnOption kKernel{{"cpe_kernel", "K", "steps that a code sees, an odd number", {.least = 1, .most = 65535}},
                        std::size_t{27}};

std::size_t kernel_of(const EncodingOptions& options) {
  return options.own.whole("cpe_kernel");
}

void check_cpe(const EncodingOptions& options) {
  const std::size_t kernel = kernel_of(options);
  if (kernel % 2 == 0) reject({{.field = "cpe_kernel"}, "an odd number", fmt::format("{}", kernel)});
  checked_product({kernel, options.dim}, "cpe_kernel");
}

std::vector<double> start_cpe(const EncodingOptions& options) {  // [K, d]
  const double bound = std::sqrt(1 / static_cast<double>(kernel_of(options)));
  Random random(options.seed, stream_of("cpe"));
  std::vector<double> values(kernel_of(options) * options.dim);
  for (double& value : values) value = random.uniform(-bound, bound);
  return values;
}

// e_s = sum_k w_k * h_(s + k - K/2): one filter for each coordinate, zeros beyond the ends and at padding.
template <class T>
class ConditionalCodes final : public InModel<T> {
 public:
  ConditionalCodes(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters),
        weight_(parameters.declare("encoding.depthwise.weight", {kernel_of(place.options), place.width},
                                   engine::zeros())) {}

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    EncodingOptions options = this->place_.options;
    options.seed = seed;
    write_values(parameters, weight_, start_cpe(options));
  }
  Tensor<T> codes_of(Tape<T>& tape, Tensor<T> h, const PositionPass<T>& pass) const override {
    return depthwise_convolution(tape, keep_valid(tape, h, pass.valid), tape[weight_]);
  }

 private:
  Parameter weight_;  // [K, d]
};

}  // namespace

CatalogEntry cpe_entry() {
  return {.name = "cpe",
          .kind = EncodingKind::kFromSignal,
          .description = "a depthwise convolution over the embedded steps",
          .enters = "input, computed from it and added",
          .citation = "Chu et al. 2021, Conditional Positional Encodings for Vision Transformers",
          .options = {kKernel},
          .start = "U(-1/sqrt(K), 1/sqrt(K))",
          .seeded = true,
          .make = nullptr,
          .start_values = start_cpe,
          .check = check_cpe,
          .in_model = &kInModel<ConditionalCodes>,
          .parameters_in_model = {"encoding.depthwise.weight"}};
}

}  // namespace faithful
