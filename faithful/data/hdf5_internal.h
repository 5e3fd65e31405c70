#pragma once

// HDF5 files. libhdf5 crashes and over-allocates on damaged files, and crashes where memory ends. So it works in a child
// process with bounded memory. One that reads passes arrays back through a pipe; what it sends is checked here.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/dataset.h"

namespace faithful::data {

void require_hdf5(const std::string& path);  // InputError where this was built without HDF5; as all below do then

struct Hdf5Request {
  std::string name;      // of the HDF5 dataset
  bool required = true;  //
  // Where these are given, the array is not kept but passed on: its shape, then the elements of each index of the
  // first axis. A table of many rows is then never in memory twice.
  std::function<void(const std::vector<std::size_t>& shape)> take_shape = {};
  std::function<void(std::size_t row, std::span<const float> values)> take_row = {};
};

// The arrays asked for, as float32, in the order of the requests; nothing where one is absent and not required.
std::vector<std::optional<PlainArray>> load_hdf5_arrays(const std::string& path,
                                                        const std::vector<Hdf5Request>& requests);

// The same from the bytes that a child sends, for the fuzzer: read(data, size) gives the next ones, or false at their
// end. `file_size` bounds what is believed.
using Hdf5Bytes = std::function<bool(void* data, std::size_t size)>;
std::vector<std::optional<PlainArray>> read_hdf5_replies(const std::string& path, std::uintmax_t file_size,
                                                         const std::vector<Hdf5Request>& requests,
                                                         const Hdf5Bytes& read);

// Writes a file with `dataset` [rows, columns] float32, whose rows fill_row makes one by one, and `meta`, the bytes of
// a text. As write_file does: as a whole or not at all.
struct Hdf5Table {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::function<void(std::size_t row, std::span<float> out)> fill_row;  // out: [columns]
  std::string meta;
};
void save_hdf5_table(const std::string& path, const Hdf5Table& table);

// From here on this process can open only the file at `path`, and only to read; it starts no process and no
// connection. Says which walls the kernel has: without them everything goes on as before.
struct Confinement {
  bool files = false;  // Landlock
  bool calls = false;  // seccomp
};
Confinement confine_to(const std::string& path);
// From here on this process opens no file at all; false where the kernel has no seccomp.
bool forbid_opening();

// Why the last call of libhdf5 failed, as an errno: ENOMEM where it had no memory, that of the system call that failed;
// 0 where the file is at fault.
int hdf5_failure();

// The exit code of a process that works with libhdf5: 0, one of these, or the errno of what the system refused.
constexpr int kHdf5Damaged = 1;    // the file is at fault
constexpr int kHdf5Crashed = 200;  // a signal ended it, or libhdf5 itself

// What a process does after the fork: it is silent, has bounded memory, works, and ends.
[[noreturn]] void work_as_hdf5_process(const std::function<void()>& work);
int wait_for_hdf5_process(pid_t process);  // its exit code

// What the child does: writes the replies to the requests into the pipe. Nothing that it sends may be trusted.
void answer_hdf5_requests(const std::string& path, const std::vector<Hdf5Request>& requests, int pipe);

// The reply to a request begins with one of these, each a uint64.
enum class Hdf5Answer : std::uint64_t {
  kAbsent,     // no such dataset; and nothing more
  kArray,      // number of axes, shape, then the elements as float
  kComplaint,  // wanted and found, each as its length and its bytes; nothing follows
};

}  // namespace faithful::data
