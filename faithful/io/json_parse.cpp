// The only file that sees nlohmann/json, which is slow to compile.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "faithful/base/error.h"
#include "faithful/io/json.h"

namespace faithful {

namespace {

// Builds a Json from the events of nlohmann's parser, which keeps its own state off the stack.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  explicit Builder(std::size_t deepest) : deepest_(deepest) {}

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(number_integer_t value) { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t&) { return add(Json(value)); }
  bool string(string_t& value) { return add(Json(std::move(value))); }
  bool binary(binary_t&) { return false; }  // not in JSON text
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(string_t& name) {
    levels_.back().names.push_back(std::move(name));
    return true;
  }
  bool end_object() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    std::vector<std::string> sorted = level.names;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      return fail("each name once in an object", faithful::quote(*twice) + " twice");
    }
    Json::Object members;
    members.reserve(level.names.size());
    for (std::size_t i = 0; i < level.names.size(); ++i) {
      members.emplace_back(std::move(level.names[i]), std::move(level.values[i]));
    }
    return add(Json(std::move(members)));
  }
  bool end_array() {
    Json::Array items = std::move(levels_.back().values);
    levels_.pop_back();
    return add(Json(std::move(items)));
  }
  bool parse_error(std::size_t position, const std::string& last, const nlohmann::json::exception& error) {
    error_at_ = position;
    if (error.id == 406) return fail("a number that fits a double", faithful::quote(last));
    return fail("valid JSON", last);
  }

  const std::string& wanted() const { return wanted_; }
  const std::string& found() const { return found_; }
  std::size_t error_at() const { return error_at_; }
  Json take() { return std::move(root_); }

 private:
  struct Level {
    bool is_object;
    std::vector<std::string> names;  // of an object
    Json::Array values;
  };

  bool add(Json value) {
    (levels_.empty() ? root_ : levels_.back().values.emplace_back()) = std::move(value);
    return true;
  }
  bool open(bool is_object) {
    if (levels_.size() == deepest_) {
      return fail(fmt::format("at most {} levels of arrays and objects", deepest_), "more");
    }
    levels_.push_back({is_object, {}, {}});
    return true;
  }
  bool fail(std::string wanted, std::string found) {
    wanted_ = std::move(wanted);
    found_ = std::move(found);
    return false;
  }

  std::size_t deepest_;
  std::vector<Level> levels_;  // the arrays and objects that are open
  Json root_;
  std::string wanted_, found_;
  std::size_t error_at_ = 0;
};

// Line and column of the byte after `before`.
Place place_of(std::string_view before, const std::string& name) {
  const auto line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return {name, line, before.size() - (before.rfind('\n') + 1) + 1};  // npos + 1 is 0
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  if (text.size() > limits.most_bytes) {
    reject({{name}, fmt::format("at most {} bytes of JSON", limits.most_bytes), fmt::format("{}", text.size())});
  }
  Builder builder(limits.deepest);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  // The parser takes a zero byte for the end of the text, and would not look at what follows.
  if (const std::size_t zero = text.find('\0'); parsed && zero != std::string_view::npos) {
    reject({place_of(text.substr(0, zero), name), "valid JSON", quote(text.substr(zero, 1))});
  }
  if (parsed) return builder.take();
  // The parser reports how many bytes it had read, the wrong one included. What we refused ourselves has no place.
  const std::size_t at = builder.error_at();
  if (at == 0) reject({{name}, builder.wanted(), builder.found()});
  const std::string_view before = text.substr(0, std::min(at, text.size()) - (at <= text.size() && !text.empty()));
  const std::string found = at > text.size() ? "the end of the text" : quote(text.substr(before.size(), 1));
  reject({place_of(before, name), builder.wanted(), builder.wanted() == "valid JSON" ? found : builder.found()});
}

}  // namespace faithful
