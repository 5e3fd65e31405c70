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

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include "faithful/io/file.h"

namespace faithful::data {
namespace {

// In the child: ends it.
void check(herr_t status) {
  if (status >= 0) return;
  const int error = hdf5_failure();
  ::_exit(error == 0 ? kHdf5Damaged : error);
}

// An HDF5 object that is open.
class Handle {
 public:
  Handle(hid_t id, herr_t (*end)(hid_t)) : id_(id), close_(end) { check(id < 0 ? -1 : 0); }
  ~Handle() { check(close_(id_)); }  // it may write
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The same numbers give the same file: no times in it.
hid_t make_dataset(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& shape) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(creation.get(), false));
  const hid_t made = H5Dcreate2(file, name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT);
  check(made < 0 ? -1 : 0);  // before another call forgets why
  return made;
}

void write_rows(hid_t dataset, const Hdf5Table& table) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;  // numbers written at a time
  const std::size_t rows_at_once = std::clamp<std::size_t>(kBlock / table.columns, 1, table.rows);
  std::vector<float> block(rows_at_once * table.columns);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  for (std::size_t at = 0; at < table.rows; at += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, table.rows - at);
    for (std::size_t r = 0; r < rows; ++r)
      table.fill_row(at + r, std::span(block).subspan(r * table.columns, table.columns));
    const hsize_t start[2] = {at, 0};
    const hsize_t size[2] = {rows, table.columns};
    const Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, size, nullptr));
    check(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, block.data()));
  }
}

// What the child does.
void write_table(const std::string& name, const Hdf5Table& table) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(access.get(), false, true));  // it is locked already
#endif
  const Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  {
    const Handle dataset(make_dataset(file.get(), "dataset", H5T_IEEE_F32LE, {table.rows, table.columns}), H5Dclose);
    write_rows(dataset.get(), table);
    const Handle meta(make_dataset(file.get(), "meta", H5T_STD_U8LE, {table.meta.size()}), H5Dclose);
    check(H5Dwrite(meta.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.meta.data()));
  }
  check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL));
}

}  // namespace

void save_hdf5_table(const std::string& path, const Hdf5Table& table) {
  write_file_by_name(path, [&](const std::string& name) {
    const std::function<void()> work = [&] { write_table(name, table); };  // no exception may leave the child
    const pid_t process = ::fork();
    if (process == 0) work_as_hdf5_process(work);
    if (process < 0) throw Error(fmt::format("{}: cannot write: no process: {}", path, std::strerror(errno)));
    const int code = wait_for_hdf5_process(process);
    if (code == 0) return;
    if (code == ENOMEM) throw std::bad_alloc();
    const char* why = code == kHdf5Damaged   ? "libhdf5 failed (out of memory?)"
                      : code == kHdf5Crashed ? "libhdf5 crashed (out of memory?)"
                                             : std::strerror(code);
    throw Error(fmt::format("{}: cannot write: {}", path, why));
  });
}

}  // namespace faithful::data

#endif
