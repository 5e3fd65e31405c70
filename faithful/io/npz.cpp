#include "faithful/io/npz.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/deflate_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/hints_internal.h"
#include "faithful/io/zip_internal.h"

namespace faithful {

struct NpzFile::State {
  std::shared_ptr<const WholeFile> file;  // none where the caller keeps the bytes
  std::string_view bytes;
  std::string name;
  std::vector<zip::Entry> entries;
  std::vector<std::string> names;  // [entries]

  void open(const NpzLimits& limits) {
    entries = zip::read_directory(bytes, name, {limits.most_arrays, limits.longest_name});
    const bool by_default = limits.most_inflated == 0;
    const std::size_t most = by_default ? inflated_limit(bytes.size()) : limits.most_inflated;
    std::uint64_t left = most;
    for (const zip::Entry& entry : entries) {
      const bool is_npy = entry.name.ends_with(".npy");
      names.push_back(entry.name.substr(0, entry.name.size() - (is_npy ? 4 : 0)));
      if (entry.method == zip::kStored) continue;
      if (entry.size > left) {
        reject({{name}, fmt::format("at most {} bytes inflated", most), "more", by_default ? limits_hint() : ""});
      }
      left -= entry.size;
    }
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) reject({{name}, "arrays of different names", quote(*twice) + " twice"});
  }
};

NpzFile::NpzFile(const std::string& path, const NpzLimits& limits) : state_(std::make_unique<State>()) {
  state_->file = std::make_shared<const WholeFile>(path);
  state_->bytes = state_->file->bytes();
  state_->name = path;
  state_->open(limits);
}

NpzFile::NpzFile(std::string_view bytes, const std::string& name, const NpzLimits& limits)
    : state_(std::make_unique<State>()) {
  state_->bytes = bytes;
  state_->name = name;
  state_->open(limits);
}

NpzFile::~NpzFile() = default;
NpzFile::NpzFile(NpzFile&&) noexcept = default;
NpzFile& NpzFile::operator=(NpzFile&&) noexcept = default;

const std::vector<std::string>& NpzFile::names() const {
  return state_->names;
}

bool NpzFile::has(std::string_view name) const {
  return std::find(names().begin(), names().end(), name) != names().end();
}

NpyArray NpzFile::array(std::string_view name) const {
  const auto found = std::find(names().begin(), names().end(), name);
  if (found == names().end()) {
    reject(
        {{state_->name}, fmt::format("an array {}", quote(name)), "none of that name", hint_of_names(name, names())});
  }
  const zip::Entry& entry = state_->entries[static_cast<std::size_t>(found - names().begin())];
  const auto inflated = std::make_shared<std::string>();
  const std::string_view bytes = zip::read_entry(state_->bytes, entry, state_->name, *inflated);
  const std::string place = fmt::format("{}[{}]", state_->name, quote(name));
  if (entry.method == zip::kStored) return {bytes, state_->file, place};
  return {bytes, inflated, place};
}

std::vector<std::pair<std::string, NpyArray>> load_npz(const std::string& path, const NpzLimits& limits) {
  const NpzFile file(path, limits);
  std::vector<std::pair<std::string, NpyArray>> arrays;
  for (const std::string& name : file.names()) arrays.emplace_back(name, file.array(name));
  return arrays;
}

void save_npz(const std::string& path, std::span<const NamedArray> arrays, const NpzOptions& options) {
  constexpr int kLevel = 6;
  write_file(path, [&](FileWriter& writer) {
    std::uint64_t written = 0;
    const auto write = [&](std::string_view bytes) {
      writer.write(bytes);
      written += bytes.size();
    };
    std::string directory;
    for (const auto& [name, array] : arrays) {
      const std::string header = npy_header_bytes(array);
      zip::Entry entry;
      entry.name = name + ".npy";
      entry.crc = static_cast<std::uint32_t>(crc_of(array.data, crc_of(header)));
      entry.size = entry.stored_size = header.size() + array.data.size();
      entry.header_at = written;
      std::string deflated;
      if (options.compress) {
        deflated = deflate_bytes(header + std::string(array.data), Wrapping::kRaw, kLevel);
        entry.method = zip::kDeflated;
        entry.stored_size = deflated.size();
      }
      write(zip::local_header(entry, options.zip64_from));
      write(options.compress ? deflated : header);
      if (!options.compress) write(array.data);
      directory += zip::central_header(entry, options.zip64_from);
    }
    const std::uint64_t directory_at = written;
    write(directory);
    write(zip::directory_end(arrays.size(), directory_at, directory.size(), options.zip64_from));
  });
}

}  // namespace faithful
