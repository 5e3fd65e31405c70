#include "faithful/encoding/own_options.h"

#include <algorithm>
#include <array>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

std::size_t place_of(std::string_view name) {
  const std::vector<OwnOption>& all = own_options();
  const auto found = std::ranges::find(all, name, [](const OwnOption& option) { return option.field.name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> names;
  for (const OwnOption& option : all) names.push_back(option.field.name);
  reject({{"encoding"}, "the name of an option", quote(name), suggest(name, names)});
}

// What files and keys had from the start, in this order.
constexpr std::array<std::string_view, 7> kFirst = {"period", "rho",           "clip",   "time_dim",
                                                    "mtan",   "tupe_relative", "pairing"};

auto rank_of(const OwnOption& option) {
  return std::ranges::find(kFirst, std::string_view(option.field.name)) - kFirst.begin();
}

std::vector<OwnOption> collect() {
  std::vector<OwnOption> all;
  for (const CatalogEntry& entry : encoding_catalog()) {
    for (const OwnOption& option : entry.options) {
      const auto known =
          std::ranges::find(all, option.field.name, [](const OwnOption& each) { return each.field.name; });
      if (known != all.end()) {
        known->field.applies_to += ", " + entry.name;
        continue;
      }
      Field& field = all.emplace_back(option).field;
      field.applies_to = entry.name;
      field.group = FieldGroup::kPosition;
    }
  }
  std::ranges::stable_sort(all, {}, rank_of);
  return all;
}

}  // namespace

bool is_always_recorded(std::string_view name) {
  return std::ranges::find(kFirst, name) != kFirst.end();
}

const std::vector<OwnOption>& own_options() {
  static const std::vector<OwnOption> all = collect();
  return all;
}

OwnOptions::OwnOptions() {
  for (const OwnOption& option : own_options()) values_.push_back(option.standard);
}

OwnOptions::OwnOptions(std::initializer_list<Given> given) : OwnOptions() {
  for (const Given& each : given) set(each);
}

void OwnOptions::set(const Given& given) {
  FieldValue& value = values_[place_of(given.name)];
  const auto* whole = std::get_if<std::size_t>(&given.value);
  if (whole != nullptr && std::holds_alternative<double>(value)) {
    value = static_cast<double>(*whole);
  } else if (given.value.index() == value.index()) {
    value = given.value;
  } else {
    reject({{.field = std::string(given.name)},
            wanted_text(own_options()[place_of(given.name)].field, value),
            to_text(given.value)});
  }
}

bool OwnOptions::flag(std::string_view name) const {
  return std::get<bool>(values_[place_of(name)]);
}
std::size_t OwnOptions::whole(std::string_view name) const {
  return std::get<std::size_t>(values_[place_of(name)]);
}
double OwnOptions::real(std::string_view name) const {
  return std::get<double>(values_[place_of(name)]);
}
const std::string& OwnOptions::text(std::string_view name) const {
  return std::get<std::string>(values_[place_of(name)]);
}

std::vector<Setting> OwnOptions::settings() {
  std::vector<Setting> all;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::visit([&](auto& value) { all.push_back({own_options()[i].field, &value}); }, values_[i]);
  }
  return all;
}

}  // namespace faithful
