#pragma once

// What make_golden.py wrote: the config and the tensors of one case by name.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/model/config.h"

namespace faithful::testing {

struct GoldenTensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

inline std::string golden_folder() {
  const char* other = std::getenv("FAITHFUL_GOLDEN");
  return other != nullptr ? other : FAITHFUL_MODEL_GOLDEN;
}

// Reads the words `field=value`.
class ConfigWords {
 public:
  explicit ConfigWords(std::istringstream& words) {
    for (std::string word; words >> word;) {
      values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
  }
  void operator()(const char* name, std::string& field) const {
    if (values_.count(name) != 0) field = values_.at(name);
  }
  void operator()(const char* name, bool& field) const {
    if (values_.count(name) != 0) field = values_.at(name) == "true";
  }
  template <class Number>
  void operator()(const char* name, Number& field) const {
    if (values_.count(name) != 0) field = static_cast<Number>(std::stod(values_.at(name)));
  }

 private:
  std::map<std::string, std::string> values_;
};

struct Golden {
  explicit Golden(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error("cannot read " + path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key, word;
      words >> key;
      if (key == "config") {
        visit_fields(config, ConfigWords(words));
        continue;
      }
      GoldenTensor& tensor = tensors[key];
      while (words >> word && word != ":") tensor.shape.push_back(std::stoul(word));
      // Nine digits fix a float, and what goes in was rounded to one; what comes out is in double.
      const bool result = key == "out" || key.starts_with("gradient:");
      for (double value = 0; words >> value;) tensor.values.push_back(result ? value : static_cast<float>(value));
    }
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
