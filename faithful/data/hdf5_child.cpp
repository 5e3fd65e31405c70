// Runs in the child process only.

#include "faithful/data/hdf5_internal.h"

#ifdef FAITHFUL_HDF5

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include "faithful/base/error.h"

namespace faithful::data {
namespace {

// Closes an HDF5 object at the end of the scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Ends the process where the system is at fault for the call that failed, not the file.
void exit_if_system_failed() {
  if (const int error = hdf5_failure(); error != 0) _exit(error);
}

// Ends the process where an object is not there, before another call forgets why.
void require(const Handle& handle) {
  if (handle.is_open()) return;
  exit_if_system_failed();
  _exit(kHdf5Damaged);
}

class Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}

  void send(const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t sent = ::write(descriptor_, at, size);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) _exit(errno);  // the parent has gone, or has had enough
      at += sent;
      size -= static_cast<std::size_t>(sent);
    }
  }
  void send(std::uint64_t number) { send(&number, sizeof(number)); }
  void send(const std::string& text) {
    send(text.size());
    send(text.data(), text.size());
  }
  [[noreturn]] void complain(const std::string& wanted, const std::string& found) {
    exit_if_system_failed();
    send(static_cast<std::uint64_t>(Hdf5Answer::kComplaint));
    send(wanted);
    send(found);
    _exit(0);
  }

 private:
  int descriptor_;
};

constexpr std::size_t kMostAxes = 3;
constexpr std::size_t kBlock = std::size_t{4} << 20;         // bytes read at a time
constexpr std::size_t kLongestRow = std::size_t{256} << 20;  // bytes along all axes but the first

std::string shape_words(const std::vector<hsize_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::vector<hsize_t> shape_of(hid_t space, const std::string& name, Pipe& pipe) {
  const int axes = H5Sget_simple_extent_ndims(space);
  if (axes < 1 || axes > static_cast<int>(kMostAxes))
    pipe.complain(fmt::format("{} to have 1 to {} axes", quote(name), kMostAxes),
                  axes < 0 ? "a damaged one" : fmt::format("{}", axes));
  std::vector<hsize_t> shape(static_cast<std::size_t>(axes));
  if (H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0) pipe.complain("a readable shape", "a damaged one");
  return shape;
}

// A shape may claim anything; what is stored cannot grow more than deflate allows.
std::size_t checked_count(const std::vector<hsize_t>& shape, hsize_t stored, const std::string& name, Pipe& pipe) {
  constexpr double kMostInflation = 1032;
  double bytes = sizeof(float);
  double row = sizeof(float);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    bytes *= static_cast<double>(shape[i]);
    if (i > 0) row *= static_cast<double>(shape[i]);
  }
  if (bytes > kMostInflation * sizeof(float) * static_cast<double>(stored))
    pipe.complain(fmt::format("as many elements as {} claims: {}", quote(name), shape_words(shape)),
                  fmt::format("{} bytes stored", stored));
  if (row > static_cast<double>(kLongestRow))
    pipe.complain(fmt::format("shorter rows in {}", quote(name)), shape_words(shape));
  return static_cast<std::size_t>(bytes / sizeof(float));
}

void send_elements(hid_t dataset, hid_t space, const std::vector<hsize_t>& shape, std::size_t count, Pipe& pipe) {
  if (count == 0) return;
  const std::size_t row = count / shape[0];
  const std::size_t rows_at_once = std::clamp<std::size_t>(kBlock / sizeof(float) / row, 1, shape[0]);
  std::vector<float> block(rows_at_once * row);
  std::vector<hsize_t> start(shape.size(), 0);
  std::vector<hsize_t> size = shape;
  for (std::size_t at = 0; at < shape[0]; at += rows_at_once) {
    start[0] = at;
    size[0] = std::min<hsize_t>(rows_at_once, shape[0] - at);
    const Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    require(memory);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_FLOAT, memory.get(), space, H5P_DEFAULT, block.data()) < 0) {
      exit_if_system_failed();
      _exit(kHdf5Damaged);  // in the middle of an array
    }
    pipe.send(block.data(), size[0] * row * sizeof(float));
  }
}

// The name without links: soft ones are followed inside of the file, others are refused. Nothing where nothing is.
std::optional<std::string> without_links(hid_t file, const std::string& name, Pipe& pipe) {
  constexpr int kMostLinks = 16;
  constexpr std::size_t kLongestLink = 4096;
  std::string at, rest = name;
  for (int links = 0; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string part = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (part.empty() || part == ".") continue;
    const std::string candidate = at + "/" + part;
    H5L_info_t link{};
    if (H5Lget_info(file, candidate.c_str(), &link, H5P_DEFAULT) < 0) {
      exit_if_system_failed();
      return std::nullopt;
    }
    if (link.type == H5L_TYPE_HARD) {
      at = candidate;
      continue;
    }
    if (link.type != H5L_TYPE_SOFT)
      pipe.complain(fmt::format("{} in this file", quote(name)), "a link that leads out of it");
    std::string target(std::min<std::size_t>(link.u.val_size, kLongestLink), '\0');
    if (++links > kMostLinks || target.empty() ||
        H5Lget_val(file, candidate.c_str(), target.data(), target.size(), H5P_DEFAULT) < 0)
      pipe.complain(fmt::format("{} in this file", quote(name)), "links that lead nowhere");
    target.resize(std::min(target.find('\0'), target.size()));
    if (target.starts_with('/')) at.clear();
    rest = target + "/" + rest;
  }
  return at;
}

// Values may lie only in the file itself, and only behind filters that are part of libhdf5.
void check_storage(hid_t dataset, const std::string& name, Pipe& pipe) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  require(creation);
  const std::string wanted = fmt::format("the values of {} in this file", quote(name));
  if (H5Pget_external_count(creation.get()) != 0) pipe.complain(wanted, "external storage");
  if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) pipe.complain(wanted, "a virtual dataset, made of other files");
  constexpr H5Z_filter_t kKnown[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                                     H5Z_FILTER_SZIP,    H5Z_FILTER_NBIT,    H5Z_FILTER_SCALEOFFSET};
  const int filters = H5Pget_nfilters(creation.get());
  for (int i = 0; i < filters; ++i) {
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation.get(), static_cast<unsigned>(i), nullptr, &values, nullptr, 0, nullptr, nullptr);
    if (std::ranges::find(kKnown, filter) == std::end(kKnown))
      pipe.complain(fmt::format("the values of {} plain, or behind filters of HDF5 itself (such as gzip)", quote(name)),
                    fmt::format("filter number {}", filter));
  }
}

void answer(hid_t file, const Hdf5Request& request, Pipe& pipe) {
  const std::optional<std::string> name = without_links(file, request.name, pipe);
  const Handle dataset(name ? H5Dopen2(file, name->c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (!dataset.is_open()) {
    if (name || request.required)
      pipe.complain(fmt::format("a dataset named {}", quote(request.name)),
                    name ? "something else of that name" : "none");
    pipe.send(static_cast<std::uint64_t>(Hdf5Answer::kAbsent));
    return;
  }
  check_storage(dataset.get(), request.name, pipe);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  require(type);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    pipe.complain(fmt::format("numbers in {}", quote(request.name)), "another type");
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  require(space);
  const std::vector<hsize_t> shape = shape_of(space.get(), request.name, pipe);
  const std::size_t count = checked_count(shape, H5Dget_storage_size(dataset.get()), request.name, pipe);
  pipe.send(static_cast<std::uint64_t>(Hdf5Answer::kArray));
  pipe.send(shape.size());
  for (const hsize_t length : shape) pipe.send(length);
  send_elements(dataset.get(), space.get(), shape, count, pipe);
}

// Code from elsewhere stays out: no filter from a plugin, no link of a class that a file may choose.
void load_no_plugins() {
  ::setenv("HDF5_PLUGIN_PRELOAD", "::", 1);  // libhdf5's own word for none, read when it starts
  if (H5open() < 0) _exit(ENOMEM);           // nothing else can keep it from starting
  H5PLset_loading_state(0);
  H5Lunregister(H5L_TYPE_EXTERNAL);
}

}  // namespace

void answer_hdf5_requests(const std::string& path, const std::vector<Hdf5Request>& requests, int descriptor) {
  Pipe pipe(descriptor);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  load_no_plugins();
  confine_to(path);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) pipe.complain("an HDF5 file", "a damaged one, or another format");
  forbid_opening();
  for (const Hdf5Request& request : requests) answer(file.get(), request, pipe);
}

}  // namespace faithful::data

#endif
