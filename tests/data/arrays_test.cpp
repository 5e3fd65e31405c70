#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/hdf5_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/write.h"
#include "faithful/io/npz.h"
#include "tests/data/data_support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::table;
using testing::TemporaryFolder;
using testing::write_text;

const std::vector<float> kCount = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

void save(const std::string& path, std::vector<std::size_t> shape, const std::vector<float>& values = kCount) {
  save_npy(path, npy_view<float>(std::move(shape), values));
}

TEST(Axes, EveryOrder) {
  // Element (n, t, c) of a 2 x 3 x 2 array, wherever its axes stand, is 100 n + 10 t + c.
  const std::string letters = "ntc";
  std::string axes = letters;
  std::sort(axes.begin(), axes.end());
  do {
    const auto size = [](char axis) { return axis == 't' ? 3u : 2u; };
    data::PlainArray array;
    for (const char axis : axes) array.shape.push_back(size(axis));
    for (std::size_t i = 0; i < array.shape[0]; ++i)
      for (std::size_t j = 0; j < array.shape[1]; ++j)
        for (std::size_t k = 0; k < array.shape[2]; ++k) {
          const std::size_t at[3] = {i, j, k};
          float value = 0;
          for (std::size_t a = 0; a < 3; ++a)
            value += static_cast<float>(at[a] * (axes[a] == 'n' ? 100 : axes[a] == 't' ? 10 : 1));
          array.values.push_back(value);
        }
    const std::vector<Series> series = data::series_of(array, axes, {"x"});
    ASSERT_EQ(series.size(), 2u);
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t c = 0; c < 2; ++c)
          EXPECT_EQ(series[n].values(t, c), static_cast<float>(100 * n + 10 * t + c)) << axes;
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(Npy, StatedAxes) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  save(path, {3, 4});
  EXPECT_EQ(load_dataset(path, {.axes = "tc"}).series[0].values, table(3, 4, kCount));
  EXPECT_EQ(load_dataset(path, {.axes = "ct"}).series[0].values(1, 2), 9);
  EXPECT_EQ(load_dataset(path, {.axes = "nt"}).series.size(), 3u);
  EXPECT_EQ(rejection([&] { load_dataset(path); }), path +
                                                        ": expected the order of its axes, found (3, 4) "
                                                        "(axes = tc: time, channels; axes = ct: channels, time)");
  EXPECT_EQ(rejection([&] { load_dataset(path, {.axes = "ntc"}); }),
            path + ": expected an array of 3 axes (ntc), found (3, 4)");
  EXPECT_EQ(rejection([&] { load_dataset(path, {.axes = "cc"}); }),
            "axes: expected t (time), and at most one n (series) and one c (channels), found \"cc\"");
  save(path, {12});
  EXPECT_EQ(load_dataset(path).series[0].length(), 12u) << "one axis can only be time";
}

TEST(Npy, Labels) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy", labels = folder / "y.txt";
  save(path, {3, 4});
  write_text(labels, "0\n1\n0\n");
  EXPECT_EQ(load_dataset(path, {.label = labels, .axes = "tc"}).series[0].labels, (std::vector<std::uint8_t>{0, 1, 0}));
  write_text(labels, "0\n1\n");
  EXPECT_EQ(rejection([&] { load_dataset(path, {.label = labels, .axes = "tc"}); }),
            labels + ": expected 3 labels, one for each time, found (2,)");
  save(path, {2, 3, 2});
  const Dataset data = load_dataset(path, {.label = labels, .axes = "ntc"});
  EXPECT_EQ(data.series[1].label, 1);
  EXPECT_EQ(data.classes, (std::vector<std::string>{"0", "1"}));
}

TEST(Npy, NotFinite) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  save(path, {2}, {1, testing::kNan});
  EXPECT_EQ(rejection([&] { load_dataset(path); }),
            path +
                ": expected finite numbers, found a missing one in series \"x\", time 2, channel \"channel_1\" "
                "(missing values: missing = interpolate)");
  EXPECT_EQ(load_dataset(path, {.missing = Missing::kInterpolate}).series[0].values, table(2, 1, {1, 1}));
  save(path, {2}, {1, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(rejection([&] { load_dataset(path, {.missing = Missing::kZero}); }),
            path + ": expected finite numbers, found an infinite one in series \"x\", time 2, channel \"channel_1\"");
}

TEST(Npy, ClaimOfTenGigabytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  save(path, {12});
  std::string bytes = read_file(path, 1000);
  const std::size_t at = bytes.find("(12,)");
  bytes.replace(at, 5, "(2500000000,)");
  bytes.erase(bytes.find("          ", at), 8);
  write_text(path, bytes);
  EXPECT_EQ(rejection([&] { load_dataset(path); }),
            path + ": expected 10000000000 bytes of data for shape (2500000000,) of <f4, found 48");
}

TEST(Npz, PlainArrays) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  const std::vector<std::int64_t> labels = {0, 1};
  const std::vector<NamedArray> arrays = {{"X", npy_view<float>({2, 3, 2}, kCount)},
                                          {"y", npy_view<std::int64_t>({2}, labels)}};
  save_npz(path, arrays);
  EXPECT_EQ(rejection([&] { load_dataset(path); }),
            path + ": expected one array, found X, y (values names the array to read)");
  const Dataset data = load_dataset(path, {.label = "y", .values = "X", .axes = "ntc"});
  EXPECT_EQ(data.series[1].values, table(3, 2, {6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(data.series[1].label, 1);
  EXPECT_NE(rejection([&] { load_dataset(path, {.values = "Z", .axes = "ntc"}); }).find("\"Z\""), std::string::npos);
}

Dataset trips() {
  Dataset dataset{.name = "trips", .channels = {"Ax", "Iq"}, .classes = {"normal", "anomalous"}, .rate = 100};
  for (int i = 0; i < 3; ++i) {
    Series series{.name = std::to_string(i + 1),
                  .values = table(2, 2, {0.1f, 2, 3, static_cast<float>(i)}),
                  .label = i == 1 ? 1 : 0};
    if (i == 1) series.spans = {{{0, 2}, {1}, "worn brake"}};
    dataset.series.push_back(series);
  }
  return dataset;
}

#ifdef FAITHFUL_TEST_HDF5

TEST(Hdf5, DfstransRoundTrip) {
  const TemporaryFolder folder;
  const std::string path = folder / "trips.h5";
  EXPECT_EQ(save_dataset(trips(), path), std::vector<std::string>{});
  EXPECT_EQ(load_dataset(path), trips());
  const std::vector<std::optional<data::PlainArray>> raw = data::load_hdf5_arrays(path, {{.name = "dataset"}});
  EXPECT_EQ(raw[0]->shape, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ((std::vector<float>(raw[0]->values.begin() + 5, raw[0]->values.begin() + 10)),
            (std::vector<float>{0.1f, 3, 2, 1, 1}))
      << "channel after channel, then the label";
  // A plain reading of the same file.
  const Dataset plain = load_dataset(path, {.values = "dataset", .axes = "tc"});
  EXPECT_EQ(plain.series[0].values.columns, 5u);
  save_dataset(trips(), folder / "again.h5");
  EXPECT_EQ(read_file(path, 1 << 20), read_file(folder / "again.h5", 1 << 20)) << "the same bytes";
}

TEST(Hdf5, BadInput) {
  const TemporaryFolder folder;
  const std::string path = folder / "trips.h5";
  save_dataset(trips(), path);
  const std::string whole = read_file(path, 1 << 20);
  EXPECT_EQ(rejection([&] { load_dataset(path, {.values = "none", .axes = "tc"}); }),
            path + ": expected a dataset named \"none\", found none");
  EXPECT_EQ(rejection([&] { load_dataset(path, {.channels = 3}); }), "channels: expected 2, as the file says, found 3");
  write_text(path, "");
  EXPECT_EQ(rejection([&] { load_dataset(path); }), path + ": expected an HDF5 file, found an empty file");
  write_text(path, "not HDF5");
  EXPECT_EQ(rejection([&] { load_dataset(path); }),
            path + ": expected an HDF5 file, found a damaged one, or another format");
  write_text(path, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(rejection([&] { load_dataset(path); }),
            path + ": expected an HDF5 file, found a damaged one, or another format");
  // No byte of the file may bring this process down, whatever becomes of the child.
  std::size_t rejected = 0;
  for (std::size_t at = 8; at < whole.size(); at += 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    write_text(path, damaged);
    try {
      load_dataset(path, {.missing = Missing::kKeep});
    } catch (const InputError&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 0u);
}

// What a confined process can open, as bits: 1 the file, 2 the file for writing, 4 another file, 8 the file, later.
int opened_when_confined(const std::string& path, const std::string& other, data::Confinement& walls) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto opens = [](const std::string& file, int flags) { return ::open(file.c_str(), flags) >= 0; };
    const data::Confinement done = data::confine_to(path);
    int result = (opens(path, O_RDONLY) ? 1 : 0) | (opens(path, O_RDWR) ? 2 : 0) | (opens(other, O_RDONLY) ? 4 : 0);
    data::forbid_opening();
    result |= opens(path, O_RDONLY) ? 8 : 0;
    if (::write(ends[1], &done, sizeof(done)) < 0) ::_exit(64);
    ::_exit(result);
  }
  int status = 0;
  EXPECT_EQ(::read(ends[0], &walls, sizeof(walls)), static_cast<ssize_t>(sizeof(walls)));
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::close(ends[0]);
  ::close(ends[1]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Hdf5, AConfinedChildOpensNothingElse) {
  const TemporaryFolder folder;
  write_text(folder / "file", "1");
  write_text(folder / "other", "2");
  data::Confinement walls;
  const int opened = opened_when_confined(folder / "file", folder / "other", walls);
  if (!walls.calls && !walls.files) GTEST_SKIP() << "this kernel has neither seccomp nor Landlock";
  EXPECT_EQ(opened, 1 | (walls.files ? 0 : 4) | (walls.calls ? 0 : 8));
}

#endif

TEST(Hdf5, WhatTheLayoutCannotHold) {
  const TemporaryFolder folder;
  Dataset dataset = trips();
  dataset.series[2].values = table(1, 2, {1, 2});
  EXPECT_EQ(rejection([&] { save_dataset(dataset, folder / "x.h5"); }),
            (folder / "x.h5") + ": expected series of equal length (2), found 1 in series \"3\" (.npz holds them)");
  dataset = trips();
  for (Series& series : dataset.series) series.label = kNoLabel;
  EXPECT_EQ(
      rejection([&] { save_dataset(dataset, folder / "x.h5"); }),
      (folder / "x.h5") + ": expected series of two classes, as the DFStrans layout has, found none (.npz holds them)");
  EXPECT_EQ(rejection([&] { save_dataset(trips(), folder / "x.xls"); }),
            (folder / "x.xls") + ": expected a name that ends in .npz, .csv, .csv.gz, .ts or .h5, found \".xls\"");
}

}  // namespace
}  // namespace faithful
