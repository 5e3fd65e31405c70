#include "faithful/base/error.h"
#include "faithful/data/hdf5_internal.h"

#ifndef FAITHFUL_HDF5

namespace faithful::data {

void save_hdf5_table(const std::string& path, const Hdf5Table&) {
  require_hdf5(path);
}

}  // namespace faithful::data

#else

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "faithful/io/file.h"

namespace faithful::data {
namespace {

[[noreturn]] void fail(const std::string& path) {
  const int error = hdf5_failure();
  if (error == ENOMEM) throw std::bad_alloc();
  throw Error(fmt::format("{}: cannot write: {}", path, error == 0 ? "libhdf5 failed" : std::strerror(error)));
}

void check(herr_t status, const std::string& path) {
  if (status < 0) fail(path);
}

// An HDF5 object that is open or could not be made.
class Handle {
 public:
  Handle(hid_t id, herr_t (*end)(hid_t), const std::string& path) : id_(id), close_(end) {
    if (id < 0) fail(path);
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }
  void close(const std::string& path) { check(close_(std::exchange(id_, -1)), path); }  // it may write

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The same numbers give the same file: no times in it.
hid_t make_dataset(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& shape,
                   const std::string& path) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, path);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  check(H5Pset_obj_track_times(creation.get(), false), path);
  return H5Dcreate2(file, name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT);
}

void write_rows(hid_t dataset, const Hdf5Table& table, const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;  // numbers written at a time
  const std::size_t rows_at_once = std::clamp<std::size_t>(kBlock / table.columns, 1, table.rows);
  std::vector<float> block(rows_at_once * table.columns);
  const Handle space(H5Dget_space(dataset), H5Sclose, path);
  for (std::size_t at = 0; at < table.rows; at += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, table.rows - at);
    for (std::size_t r = 0; r < rows; ++r)
      table.fill_row(at + r, std::span(block).subspan(r * table.columns, table.columns));
    const hsize_t start[2] = {at, 0};
    const hsize_t size[2] = {rows, table.columns};
    const Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose, path);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr), path);
    check(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, block.data()), path);
  }
}

}  // namespace

void save_hdf5_table(const std::string& path, const Hdf5Table& table) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  write_file_by_name(path, [&](const std::string& name) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
#if H5_VERSION_GE(1, 10, 7)
    check(H5Pset_file_locking(access.get(), false, true), path);  // it is locked already
#endif
    Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, path);
    Handle dataset(make_dataset(file.get(), "dataset", H5T_IEEE_F32LE, {table.rows, table.columns}, path), H5Dclose,
                   path);
    write_rows(dataset.get(), table, path);
    dataset.close(path);
    Handle meta(make_dataset(file.get(), "meta", H5T_STD_U8LE, {table.meta.size()}, path), H5Dclose, path);
    check(H5Dwrite(meta.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.meta.data()), path);
    meta.close(path);
    check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), path);
    file.close(path);
  });
}

}  // namespace faithful::data

#endif
