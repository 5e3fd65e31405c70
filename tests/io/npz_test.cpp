#include "faithful/io/npz.h"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "tests/io/golden.h"
#include "tests/io/golden_file.h"
#include "tests/io/ours.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::hexadecimal_file;
using testing::rejection;
using testing::TemporaryFolder;

const std::vector<float> kX = {1, 2, 3, 4};
const std::vector<std::int64_t> kY = {5, 6, 7};

std::vector<NamedArray> content() {
  return {{"x", npy_view<float>({2, 2}, kX)}, {"y", npy_view<std::int64_t>({3}, kY)}};
}

std::string saved(const NpzOptions& options) {
  const TemporaryFolder folder;
  save_npz(folder / "f.npz", content(), options);
  return read_file(folder / "f.npz", 1 << 20);
}

void expect_content(const std::string& bytes) {
  const NpzFile file(bytes, "f");
  ASSERT_EQ(file.names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(file.array("x").shape(), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(file.array("x").to_vector<float>(), kX);
  EXPECT_EQ(file.array("y").to_vector<std::int64_t>(), kY);
}

TEST(Npz, ReadsWhatNumPyWrites) {
  for (const char* name : {"stored", "deflated", "descriptors", "zip64"}) {
    SCOPED_TRACE(name);
    expect_content(hexadecimal_file(kGolden, std::string(name) + ".npz"));
  }
}

TEST(Npz, WritesTheSameBytesEachTime) {
  EXPECT_EQ(saved({}), hexadecimal_file(kOurs, "stored.npz"));  // which test_io_numpy.py gives to NumPy
  EXPECT_EQ(saved({.zip64_from = 8}), hexadecimal_file(kGolden, "zip64.npz").substr(0, kZip64Entries) +
                                          hexadecimal_file(kOurs, "zip64 after its entries"));
  EXPECT_EQ(saved({.compress = true}), saved({.compress = true}));
}

TEST(Npz, ReadsWhatItWrites) {
  expect_content(saved({}));
  expect_content(saved({.compress = true}));
  expect_content(saved({.zip64_from = 8}));
  expect_content(saved({.compress = true, .zip64_from = 1}));
  expect_content(hexadecimal_file(kOurs, "deflated.npz"));
}

TEST(Npz, Files) {
  const TemporaryFolder folder;
  save_npz(folder / "f.npz", content());
  const auto arrays = load_npz(folder / "f.npz");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[1].first, "y");
  EXPECT_EQ(arrays[1].second.to_vector<std::int64_t>(), kY);  // the file stays mapped as long as an array lives
  save_npz(folder / "none.npz", {});
  EXPECT_TRUE(load_npz(folder / "none.npz").empty());
}

TEST(Npz, NamesThatAreNotThere) {
  const std::string bytes = saved({});
  const NpzFile file(bytes, "f.npz");
  EXPECT_TRUE(file.has("x"));
  EXPECT_FALSE(file.has("z"));
  EXPECT_EQ(rejection([&] { file.array("xy"); }),
            "f.npz: expected an array \"xy\", found none of that name (did you mean \"x\" or \"y\"?)");
  EXPECT_EQ(rejection([&] { file.array("speed"); }),
            "f.npz: expected an array \"speed\", found none of that name (known: \"x\", \"y\")");
}

// Where the little-endian number stands that follows the n-th occurrence of a signature by `offset`.
std::string changed(std::string bytes, const std::string& signature, std::size_t offset, std::uint64_t value,
                    std::size_t size) {
  const std::size_t at = bytes.find(signature) + offset;
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

TEST(Npz, RejectedArchives) {
  const std::string local = "PK\x03\x04", central = "PK\x01\x02", end = "PK\x05\x06";
  const std::string bytes = saved({});
  const auto message = [](const std::string& archive) {
    return rejection([&] {
      const NpzFile file(archive, "f");
      for (const std::string& name : file.names()) file.array(name);
    });
  };
  const std::string sound = "f: expected a sound .npz archive, found ";
  EXPECT_EQ(message(""), "f: expected a .npz file, found an empty file");
  EXPECT_EQ(message("text"), "f: expected a .npz file, found other bytes at its start");
  EXPECT_EQ(message("PK\x03\x04"), sound + "a truncated file");
  EXPECT_EQ(message(bytes.substr(0, bytes.size() - 1)), sound + "no directory at its end (a truncated file?)");
  EXPECT_EQ(message(changed(bytes, end, 4, 1, 2)), sound + "an archive of several disks");
  EXPECT_EQ(message(changed(bytes, end, 16, 0xFFFF, 4)), sound + "a directory outside the file");
  EXPECT_EQ(message(changed(bytes, end, 10, 900, 2)), sound + "more entries than its directory can hold");
  EXPECT_EQ(message(changed(bytes, central, 0, 0, 4)), sound + "a wrong record in the directory");
  EXPECT_EQ(message(changed(bytes, central, 8, 1, 2)), sound + "an encrypted entry");
  EXPECT_EQ(message(changed(bytes, central, 28, 2000, 2)), sound + "a name of 2000 bytes");
  EXPECT_EQ(message(changed(bytes, central, 42, 7, 4)), sound + "no entry where \"x.npy\" should be");
  EXPECT_EQ(message(changed(bytes, central, 42, 0xFFFFFF, 4)), sound + "an entry \"x.npy\" outside the file");
  EXPECT_EQ(message(changed(bytes, central, 10, 8, 2)),
            sound + "an entry \"x.npy\" whose two headers differ in method");
  EXPECT_EQ(message(changed(bytes, central, 16, 8, 4)),
            sound + "an entry \"x.npy\" whose two headers differ in checksum");
  EXPECT_EQ(message(changed(bytes, central, 24, 8, 4)), sound + "an entry \"x.npy\" whose two headers differ in size");
  EXPECT_EQ(message(changed(bytes, local, 30, 'z', 1)), sound + "an entry \"x.npy\" whose two headers differ in name");
  const std::string shrunk = changed(changed(bytes, central, 24, 8, 4), local, 22, 8, 4);
  EXPECT_EQ(message(shrunk), sound + "an entry \"x.npy\" of impossible size 8");
  const std::string grown = changed(changed(bytes, central, 20, 0xFFFFF, 4), local, 18, 0xFFFFF, 4);
  EXPECT_EQ(message(grown), sound + "an entry \"x.npy\" that ends outside the file");
  const std::string bzip = changed(changed(bytes, central, 10, 12, 2), local, 8, 12, 2);
  EXPECT_EQ(message(bzip), sound + "an entry \"x.npy\" of compression method 12");
  EXPECT_EQ(message(changed(bytes, "\x93NUMPY", 130, 1, 1)), "f: expected a sound entry \"x.npy\", found damaged data");
  const std::string deflated = saved({.compress = true});
  EXPECT_EQ(message(changed(deflated, local, 45, 0x55, 1)), "f: expected a sound entry \"x.npy\", found damaged data");
}

TEST(Npz, OverlapsAndDoubleNamesAreRejected) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> twins = {{"x", npy_view<float>({2, 2}, kX)}, {"x", npy_view<float>({2, 2}, kX)}};
  save_npz(folder / "f.npz", twins);
  const std::string bytes = read_file(folder / "f.npz", 1 << 20);
  EXPECT_EQ(rejection([&] { NpzFile(bytes, "f"); }), "f: expected arrays of different names, found \"x\" twice");
  // The second directory record points at the first entry too.
  const std::size_t second = bytes.rfind("PK\x01\x02");
  std::string overlapping = bytes;
  overlapping.replace(second + 42, 4, std::string(4, '\0'));
  EXPECT_EQ(rejection([&] { NpzFile(overlapping, "f"); }),
            "f: expected a sound .npz archive, found overlapping entries \"x.npy\" and \"x.npy\"");
}

TEST(Npz, Limits) {
  const std::string bytes = saved({.compress = true});
  EXPECT_EQ(rejection([&] { NpzFile(bytes, "f", {.most_arrays = 1}); }), "f: expected at most 1 arrays, found 2");
  EXPECT_EQ(rejection([&] { NpzFile(bytes, "f", {.most_inflated = 200}); }),
            "f: expected at most 200 bytes inflated, found more");
}

TEST(Npz, EveryTruncationIsRejected) {
  for (const char* name : {"stored.npz", "deflated.npz", "zip64.npz", "descriptors.npz"}) {
    const std::string bytes = hexadecimal_file(kGolden, name);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      EXPECT_THROW(NpzFile(bytes.substr(0, n), "f"), InputError) << name << " " << n;
    }
  }
}

}  // namespace
}  // namespace faithful
