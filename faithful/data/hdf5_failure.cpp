#include "faithful/data/hdf5_internal.h"

#ifdef FAITHFUL_HDF5

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <hdf5.h>

namespace faithful::data {
namespace {

// One entry of libhdf5's error stack. It has the errno of a system call only as text: "..., errno = 28, ...".
herr_t look_at(unsigned, const H5E_error2_t* entry, void* found) {
  constexpr const char kMark[] = "errno = ";
  int& error = *static_cast<int*>(found);
  const char* at = entry->desc == nullptr ? nullptr : std::strstr(entry->desc, kMark);
  if (at != nullptr) error = std::atoi(at + sizeof(kMark) - 1);
  if (error == 0 && entry->min_num == H5E_NOSPACE) error = ENOMEM;
  return 0;
}

}  // namespace

int hdf5_failure() {
  int error = 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, look_at, &error);
  return error;
}

}  // namespace faithful::data

#endif
