#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/field.h"

namespace faithful {

// An option of one or a few encodings, declared in their files.
struct OwnOption {
  Field field;
  FieldValue standard;             // the default value
  bool in_table = true;            // changes the table; false: only how the encoding enters a model
  bool refused_elsewhere = false;  // an encoding without this option accepts only the default value
};

// The options of all encodings, each once, with the names of its encodings in `applies_to`. The order is that of files.
FAITHFUL_API const std::vector<OwnOption>& own_options();

// Whether files and keys of every model hold this option, whatever the encoding. They hold other options only if they
// differ from the default.
FAITHFUL_API bool is_always_recorded(std::string_view name);

// A value for each of those options, by name. Options that are not set have their default.
class FAITHFUL_API OwnOptions {
 public:
  struct Given {
    std::string_view name;
    FieldValue value;
    Given(std::string_view of, bool given) : name(of), value(given) {}
    Given(std::string_view of, int given) : name(of), value(static_cast<double>(given)) {
      if (given >= 0) value = static_cast<std::size_t>(given);
    }
    Given(std::string_view of, std::size_t given) : name(of), value(given) {}
    Given(std::string_view of, double given) : name(of), value(given) {}
    Given(std::string_view of, const char* given) : name(of), value(std::string(given)) {}
  };
  OwnOptions();
  OwnOptions(std::initializer_list<Given> given);  // {{"rho", 100}, {"layout", "halves"}}

  // A whole number may stand for a real one. InputError if there is no such option, or if it has another type.
  void set(const Given& given);
  template <class Value>
  void set(std::string_view name, Value value) {
    set(Given(name, value));
  }

  bool flag(std::string_view name) const;
  std::size_t whole(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  // In the order of own_options(), with pointers into this object.
  std::vector<Setting> settings();
  const std::vector<FieldValue>& values() const { return values_; }
  bool operator==(const OwnOptions&) const = default;

 private:
  std::vector<FieldValue> values_;
};

}  // namespace faithful
