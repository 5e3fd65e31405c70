#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/deflate_internal.h"
#include "faithful/io/zip_internal.h"

namespace faithful::zip {

namespace {

// Little-endian fields of the file, each read only where it lies inside.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::string_view part(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) damaged("a record that ends after the file");
    return bytes_.substr(at, size);
  }
  std::uint64_t number(std::uint64_t at, std::size_t size) const {
    const std::string_view bytes = part(at, size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::uint16_t u16(std::uint64_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::uint64_t at) const { return number(at, 8); }

  [[noreturn]] void damaged(const std::string& found) const { reject({{name_}, "a sound .npz archive", found}); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

struct Directory {
  std::uint64_t entries, at, size;
};

// The end record is the last thing in the file, but for a comment of up to 65,535 bytes.
std::uint64_t find_end(const Fields& fields) {
  constexpr std::size_t kLongestComment = 65'535;
  if (fields.size() < kEndSize) fields.damaged("a truncated file");
  const std::uint64_t last = fields.size() - kEndSize;
  for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, kLongestComment); ++back) {
    const std::uint64_t at = last - back;
    if (fields.u32(at) == kEndSignature && fields.u16(at + 20) == back) return at;
  }
  fields.damaged("no directory at its end (a truncated file?)");
}

Directory find_directory(const Fields& fields) {
  const std::uint64_t end = find_end(fields);
  if (fields.u16(end + 4) != 0 || fields.u16(end + 6) != 0) fields.damaged("an archive of several disks");
  Directory directory{fields.u16(end + 10), fields.u32(end + 16), fields.u32(end + 12)};
  std::uint64_t limit = end;  // the directory must end before this
  if (end >= kLocator64Size && fields.u32(end - kLocator64Size) == kLocator64Signature) {
    const std::uint64_t end64 = fields.u64(end - kLocator64Size + 8);
    if (fields.u32(end64) != kEnd64Signature || end64 > end - kLocator64Size) fields.damaged("a wrong zip64 record");
    directory = {fields.u64(end64 + 32), fields.u64(end64 + 48), fields.u64(end64 + 40)};
    limit = end64;
  }
  if (directory.at > limit || directory.size > limit - directory.at) fields.damaged("a directory outside the file");
  return directory;
}

// Replaces the 32-bit numbers that say so by those of the zip64 field, in the order the format gives.
void read_zip64(const Fields& fields, std::uint64_t at, std::uint64_t size, std::vector<std::uint64_t*> numbers) {
  std::erase_if(numbers, [](const std::uint64_t* number) { return *number != kInZip64; });
  if (numbers.empty()) return;
  const std::uint64_t end = at + size;
  while (end - at >= 4) {
    const std::uint16_t kind = fields.u16(at), length = fields.u16(at + 2);
    at += 4;
    if (length > end - at) fields.damaged("a field that ends after its record");
    if (kind == kZip64Field) {
      if (length < 8 * numbers.size()) fields.damaged("a zip64 field that is too short");
      for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] = fields.u64(at + 8 * i);
      return;
    }
    at += length;
  }
}

Entry read_central(const Fields& fields, std::uint64_t& at, const Limits& limits) {
  if (fields.u32(at) != kCentralSignature) fields.damaged("a wrong record in the directory");
  const std::uint16_t flags = fields.u16(at + 8);
  const std::uint16_t name_size = fields.u16(at + 28), extra_size = fields.u16(at + 30);
  const std::uint16_t comment_size = fields.u16(at + 32);
  if (name_size > limits.longest_name) fields.damaged(fmt::format("a name of {} bytes", name_size));
  if ((flags & kEncryptedFlag) != 0) fields.damaged("an encrypted entry");
  Entry entry;
  entry.method = fields.u16(at + 10);
  entry.crc = fields.u32(at + 16);
  entry.stored_size = fields.u32(at + 20);
  entry.size = fields.u32(at + 24);
  entry.header_at = fields.u32(at + 42);
  entry.name = fields.part(at + kCentralSize, name_size);
  read_zip64(fields, at + kCentralSize + name_size, extra_size, {&entry.size, &entry.stored_size, &entry.header_at});
  at += kCentralSize + name_size + extra_size + comment_size;
  fields.part(at, 0);
  return entry;
}

// Checks an entry against its local header and finds its data.
void read_local(const Fields& fields, Entry& entry, std::uint64_t directory_at) {
  const auto differs = [&](const char* what) {
    fields.damaged(fmt::format("an entry {} whose two headers differ in {}", quote(entry.name), what));
  };
  const std::uint64_t at = entry.header_at;
  if (at > directory_at) fields.damaged(fmt::format("an entry {} outside the file", quote(entry.name)));
  if (fields.u32(at) != kLocalSignature) fields.damaged(fmt::format("no entry where {} should be", quote(entry.name)));
  const std::uint16_t flags = fields.u16(at + 6), name_size = fields.u16(at + 26), extra_size = fields.u16(at + 28);
  if (fields.u16(at + 8) != entry.method) differs("method");
  if (fields.part(at + kLocalSize, name_size) != entry.name) differs("name");
  if ((flags & kDescriptorFlag) == 0) {  // else these come after the data, and here are zeros
    std::uint64_t stored_size = fields.u32(at + 18), size = fields.u32(at + 22);
    read_zip64(fields, at + kLocalSize + name_size, extra_size, {&size, &stored_size});
    if (fields.u32(at + 14) != entry.crc) differs("checksum");
    if (size != entry.size || stored_size != entry.stored_size) differs("size");
  }
  entry.data_at = at + kLocalSize + name_size + extra_size;
  if (entry.data_at > directory_at || entry.stored_size > directory_at - entry.data_at) {
    fields.damaged(fmt::format("an entry {} that ends outside the file", quote(entry.name)));
  }
  if (entry.method != kStored && entry.method != kDeflated) {
    fields.damaged(fmt::format("an entry {} of compression method {}", quote(entry.name), entry.method));
  }
  const bool possible =
      entry.method == kStored ? entry.size == entry.stored_size : entry.size / kMostInflation <= entry.stored_size;
  if (!possible) fields.damaged(fmt::format("an entry {} of impossible size {}", quote(entry.name), entry.size));
}

void check_no_overlap(const Fields& fields, const std::vector<Entry>& entries) {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->header_at < b->header_at; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->header_at < sorted[i - 1]->data_at + sorted[i - 1]->stored_size) {
      fields.damaged(fmt::format("overlapping entries {} and {}", quote(sorted[i - 1]->name), quote(sorted[i]->name)));
    }
  }
}

}  // namespace

std::vector<Entry> read_directory(std::string_view file, const std::string& name, const Limits& limits) {
  if (!file.starts_with("PK")) {
    reject({{name}, "a .npz file", file.empty() ? "an empty file" : "other bytes at its start"});
  }
  const Fields fields(file, name);
  const Directory directory = find_directory(fields);
  if (directory.entries > limits.most_entries) {
    reject({{name}, fmt::format("at most {} arrays", limits.most_entries), fmt::format("{}", directory.entries)});
  }
  if (directory.entries > directory.size / kCentralSize) fields.damaged("more entries than its directory can hold");
  std::vector<Entry> entries;
  std::uint64_t at = directory.at;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    entries.push_back(read_central(fields, at, limits));
    if (at > directory.at + directory.size) fields.damaged("a directory that is longer than it says");
    read_local(fields, entries.back(), directory.at);
  }
  check_no_overlap(fields, entries);
  return entries;
}

std::string_view read_entry(std::string_view file, const Entry& entry, const std::string& name, std::string& inflated) {
  const auto damaged = [&] { reject({{name}, fmt::format("a sound entry {}", quote(entry.name)), "damaged data"}); };
  std::string_view bytes = file.substr(entry.data_at, entry.stored_size);
  if (entry.method == kDeflated) {
    inflated.resize(entry.size);
    Inflater inflater(bytes, Wrapping::kRaw);
    std::size_t got = 0, more = 0;
    Inflater::Status status = inflater.read(inflated, got);
    char beyond = 0;  // the end of the stream may take one more call, and must give no more bytes
    if (status == Inflater::Status::kMore) status = inflater.read({&beyond, 1}, more);
    if (status != Inflater::Status::kEnd || got != entry.size || more != 0) damaged();
    bytes = inflated;
  }
  if (crc_of(bytes) != entry.crc) damaged();
  return bytes;
}

}  // namespace faithful::zip
