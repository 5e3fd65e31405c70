#pragma once

// What make_golden.py wrote: the config and the tensors of one case by name.

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faithful/model/config.h"
#include "tests/support.h"

namespace faithful::testing {

struct GoldenTensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

inline std::string golden_folder() {
  const char* other = std::getenv("FAITHFUL_GOLDEN");
  return other != nullptr ? other : FAITHFUL_MODEL_GOLDEN;
}

struct Golden {
  explicit Golden(const std::string& path) {
    for_each_line(path, [this](const std::string& key, std::istringstream& words) {
      std::string word;
      if (key == "config") {
        std::map<std::string, std::string> texts;
        while (words >> word) texts[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        for (const Setting& setting : settings(config))
          if (texts.contains(setting.field.name)) set_text(setting, texts[setting.field.name]);
        return;
      }
      GoldenTensor& tensor = tensors[key];
      while (words >> word && word != ":") tensor.shape.push_back(std::stoul(word));
      // Nine digits fix a float, and what goes in was rounded to one; what comes out is in double.
      const bool result = key == "out" || key.starts_with("gradient:");
      for (double value = 0; words >> value;) tensor.values.push_back(result ? value : static_cast<float>(value));
    });
  }
  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    if (tensors.count(name) == 0) return {};
    return {tensors.at(name).values.begin(), tensors.at(name).values.end()};
  }

  ModelConfig config;
  std::map<std::string, GoldenTensor> tensors;
};

}  // namespace faithful::testing
