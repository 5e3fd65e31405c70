#include "faithful/train/options.h"

#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

void check_train_options(const TrainOptions& options) {
  const auto require = [](bool holds, const char* name, const char* wanted, double found) {
    if (!holds) reject({{name}, wanted, fmt::format("{}", found)});  // a NaN holds nothing
  };
  const auto one_of = [](const std::string& name, const std::vector<std::string>& names, const char* option) {
    for (const std::string& known : names)
      if (name == known) return;
    reject({{option}, fmt::format("{} or {}", names[0], names[1]), quote(name)});
  };
  require(options.epochs >= 1, "--epochs", "at least 1", 0);
  require(options.stop_after <= options.epochs, "--stop-after", "at most --epochs",
          static_cast<double>(options.stop_after));
  require(options.batch >= 1, "--batch", "at least 1", 0);
  require(options.rate > 0 && options.rate <= 10, "--rate", "above 0 and up to 10", options.rate);
  require(options.warm_up >= 0 && options.warm_up <= 1, "--warm-up", "a share from 0 to 1", options.warm_up);
  require(options.floor >= 0 && options.floor <= 1, "--floor", "a share from 0 to 1", options.floor);
  require(options.decay >= 0 && options.decay * options.rate < 1, "--decay", "from 0 to below 1 / --rate",
          options.decay);
  require(options.clip >= 0, "--clip", "at least 0", options.clip);
  one_of(options.class_weights, {"auto", "none"}, "--class-weights");
  one_of(options.select, {"auto", "loss"}, "--select");
}

}  // namespace faithful
