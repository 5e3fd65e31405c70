#pragma once

// What make_golden.py wrote: the tensors of one case by name.

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/engine/tensor.h"
#include "tests/support.h"

namespace faithful::engine::testing {

struct GoldenTensor {
  Shape shape;
  std::vector<float> values;
};

class Golden {
 public:
  explicit Golden(const std::string& name) {
    const char* other = std::getenv("FAITHFUL_GOLDEN");
    const std::string path = std::string(other != nullptr ? other : FAITHFUL_ENGINE_GOLDEN) + "/" + name + ".txt";
    faithful::testing::for_each_line(path, [&](const std::string& key, std::istringstream& words) {
      std::string word;
      std::vector<std::size_t> sizes;
      while (words >> word && word != ":") sizes.push_back(std::stoul(word));
      GoldenTensor tensor;
      switch (sizes.size()) {
        case 1:
          tensor.shape = {sizes[0]};
          break;
        case 2:
          tensor.shape = {sizes[0], sizes[1]};
          break;
        case 3:
          tensor.shape = {sizes[0], sizes[1], sizes[2]};
          break;
        default:
          tensor.shape = {sizes.at(0), sizes.at(1), sizes.at(2), sizes.at(3)};
      }
      for (float value = 0; words >> value;) tensor.values.push_back(value);
      if (tensor.values.size() != tensor.shape.count()) throw Error(path + ": " + key + " has the wrong length");
      tensors_.emplace(key, std::move(tensor));
    });
  }

  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  GoldenTensor& operator[](const std::string& name) { return tensors_.at(name); }
  std::map<std::string, GoldenTensor>& tensors() { return tensors_; }

 private:
  std::map<std::string, GoldenTensor> tensors_;
};

}  // namespace faithful::engine::testing
