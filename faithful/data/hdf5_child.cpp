// Runs in the child process only.

#include "faithful/data/hdf5_internal.h"

#ifdef FAITHFUL_HDF5

#include <algorithm>

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

class Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}

  void send(const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t sent = ::write(descriptor_, at, size);
      if (sent <= 0) _exit(1);  // the parent has gone, or has had enough
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
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dread(dataset, H5T_NATIVE_FLOAT, memory.get(), space, H5P_DEFAULT, block.data()) < 0)
      _exit(1);  // in the middle of an array: the parent reports a damaged file
    pipe.send(block.data(), size[0] * row * sizeof(float));
  }
}

void answer(hid_t file, const Hdf5Request& request, Pipe& pipe) {
  const bool is_there = H5Lexists(file, request.name.c_str(), H5P_DEFAULT) > 0;
  const Handle dataset(is_there ? H5Dopen2(file, request.name.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (!dataset.is_open()) {
    if (is_there || request.required)
      pipe.complain(fmt::format("a dataset named {}", quote(request.name)),
                    is_there ? "something else of that name" : "none");
    pipe.send(static_cast<std::uint64_t>(Hdf5Answer::kAbsent));
    return;
  }
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    pipe.complain(fmt::format("numbers in {}", quote(request.name)), "another type");
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const std::vector<hsize_t> shape = shape_of(space.get(), request.name, pipe);
  const std::size_t count = checked_count(shape, H5Dget_storage_size(dataset.get()), request.name, pipe);
  pipe.send(static_cast<std::uint64_t>(Hdf5Answer::kArray));
  pipe.send(shape.size());
  for (const hsize_t length : shape) pipe.send(length);
  send_elements(dataset.get(), space.get(), shape, count, pipe);
}

}  // namespace

void answer_hdf5_requests(const std::string& path, const std::vector<Hdf5Request>& requests, int descriptor) {
  Pipe pipe(descriptor);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) pipe.complain("an HDF5 file", "a damaged one, or another format");
  for (const Hdf5Request& request : requests) answer(file.get(), request, pipe);
}

}  // namespace faithful::data

#endif
