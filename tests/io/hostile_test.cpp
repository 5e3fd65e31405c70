// Every hostile claim of these tests is made in a few bytes: no reader may take much memory for it.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/io/csv.h"
#include "faithful/io/gzip.h"
#include "faithful/io/json.h"
#include "faithful/io/npy.h"
#include "faithful/io/npz.h"
#include "tests/io/golden.h"
#include "tests/io/golden_file.h"
#include "tests/support.h"

namespace {
std::atomic<std::size_t> largest = 0;  // single allocation since it was last set to zero
}

// Not inlined: g++ would take malloc and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  std::size_t seen = largest.load();
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace faithful {
namespace {

using testing::hexadecimal_file;
using testing::rejection;

constexpr std::size_t kMuch = 4 << 20;

// Reads the bytes as everything that they could be; InputError is the only way out.
void read_as_everything(const std::string& bytes) {
  const auto allow = [](auto&& call) {
    try {
      call();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    }
  };
  allow([&] { NpyArray(bytes, nullptr, "f").to_vector<double>(); });
  allow([&] {
    const NpzFile file(bytes, "f");
    for (const std::string& name : file.names()) file.array(name).to_vector<float>();
  });
  allow([&] {
    ThreadPool pool(1);
    CsvOptions options;
    options.pool = &pool;
    options.block_bytes = 1 << 16;
    const CsvFile file(bytes, "f", options);
    file.load<float>(std::vector<CsvColumn>(file.columns(), CsvColumn::kNumber));
  });
  allow([&] { inflate_gzip(bytes, "f", 1 << 20); });
  allow([&] { parse_json(bytes, "f"); });
}

TEST(Hostile, HugeClaimsTakeNoMemory) {
  const auto header = [](const std::string& dictionary) {
    const std::string text = dictionary + "\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text;
  };
  largest = 0;
  EXPECT_EQ(rejection([&] {
              NpyArray(header("{'descr': '<f4', 'fortran_order': False, 'shape': (2500000000,), }"), nullptr, "f");
            }),
            "f: expected 10000000000 bytes of data for shape (2500000000,) of <f4, found 0");
  EXPECT_EQ(rejection([&] {
              NpyArray(header("{'descr':'<f8','fortran_order':False,'shape':(4294967296,4294967296,4294967296),}"),
                       nullptr, "f");
            }),
            "f: expected a shape that a file can hold, found (4294967296, 4294967296, 4294967296)");
  EXPECT_EQ(rejection([&] { NpyArray(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), nullptr, "f"); }),
            "f: expected a header of at most 65536 bytes, found 4294967295");
  EXPECT_LT(largest, std::size_t{1} << 16);
}

TEST(Hostile, EveryTruncationAndChangedByteOfTheGoldenFiles) {
  largest = 0;
  for (const auto& [name, digits] : kGolden) {
    const std::string bytes = hexadecimal_file(kGolden, name);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      read_as_everything(bytes.substr(0, n));
      std::string changed = bytes;
      changed[n] = static_cast<char>(changed[n] ^ (1 << (n % 8)));
      read_as_everything(changed);
      changed[n] = '\xFF';
      read_as_everything(changed);
    }
  }
  EXPECT_LT(largest, kMuch);
}

TEST(Hostile, RandomBytes) {
  largest = 0;
  Random random(1);
  const std::string alphabets[] = {"", "0123456789,.;-e\n\r\" ", "{}[]\":,0123 truefalsn"};
  const std::string starts[] = {"", "\x93NUMPY", "PK\x03\x04", "\x1f\x8b\x08", "{"};
  for (int i = 0; i < 3000; ++i) {
    const std::string& letters = alphabets[random.below(3)];
    std::string bytes = starts[random.below(5)];
    const std::uint64_t size = random.below(200);
    for (std::uint64_t k = 0; k < size; ++k) {
      bytes += letters.empty() ? static_cast<char>(random.below(256)) : letters[random.below(letters.size())];
    }
    read_as_everything(bytes);
  }
  EXPECT_LT(largest, kMuch);
}

TEST(Hostile, GzippedBombsOfTables) {
  const std::string bomb = deflate_gzip(std::string(20'000'000, '\n'));  // 20 kB
  CsvOptions options;
  options.most_inflated = 1 << 20;
  options.block_bytes = 1 << 16;
  largest = 0;
  EXPECT_EQ(rejection([&] { CsvFile(bomb, "f", options); }),
            "f: expected a smaller file, found more inflated text than may be read (gunzip it first, or cut it)");
  EXPECT_LT(largest, kMuch);
}

}  // namespace
}  // namespace faithful
