#include "faithful/io/file.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"
#include "faithful/io/write_file_internal.h"
#include "tests/support.h"

namespace {
std::atomic<int> synced_folders = 0;
}

// Stands before the C library's: counts the folders that are synced.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) ++synced_folders;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

// The message of the Error of a call that writes to a disk of 4096 bytes. A limit on the size of files stands in for a
// full disk: write() fails in the same place.
std::string with_small_disk(const std::function<void()>& call) {
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{4096, old_limit.rlim_max};
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    call();
  } catch (const InputError&) {
    ADD_FAILURE() << "a full disk is not the user's mistake";
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  return message;
}

TEST(File, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string bytes = std::string("a\0b\r\n\xFF", 6) + std::string(200'000, 'x');
  for (const bool nameless : {true, false}) {
    for (const std::string& content : {bytes, std::string(), std::string("short")}) {
      write_file_beside(
          folder / "f", [&](FileWriter& writer) { writer.write(content); }, nameless);
      EXPECT_EQ(read_file(folder / "f", 1 << 20), content);
      EXPECT_EQ(WholeFile(folder / "f").bytes(), content);
      EXPECT_EQ(files_in(folder), 1U);
    }
  }
}

TEST(File, PiecesArriveInOrder) {
  const TemporaryFolder folder;
  std::string all;
  write_file(folder / "f", [&](FileWriter& writer) {
    for (std::size_t i = 0; i < 300; ++i) {
      const std::string piece(i * 7, static_cast<char>('a' + i % 26));
      writer.write(piece);
      all += piece;
    }
  });
  EXPECT_EQ(read_file(folder / "f", 1 << 20), all);
}

TEST(File, AFailureLeavesTheOldFileAndNothingBeside) {
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  for (const bool nameless : {true, false}) {
    const auto fail = [](FileWriter& writer) {
      writer.write(std::string(100'000, 'n'));
      throw std::runtime_error("stop");
    };
    EXPECT_THROW(write_file_beside(folder / "f", fail, nameless), std::runtime_error);
    EXPECT_THROW(write_file_beside(folder / "g", fail, nameless), std::runtime_error);
    EXPECT_EQ(read_file(folder / "f", 100), "old");
    EXPECT_EQ(files_in(folder), 1U);
  }
}

TEST(File, AKilledRunLeavesNothing) {
  const TemporaryFolder folder;
  const int probe = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no nameless files";
  ::close(probe);
  const pid_t child = ::fork();
  if (child == 0) {
    write_file(folder / "f", [](FileWriter& writer) {
      writer.write(std::string(100'000, 'n'));
      ::raise(SIGKILL);
    });
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files_in(folder), 0U);
}

// A child process that begins to write the file, says so through the pipe, and waits to be killed.
pid_t start_writer(const std::string& path, int pipe_end, bool nameless) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  write_file_beside(
      path,
      [&](FileWriter& writer) {
        writer.write(std::string(100'000, 'n'));
        if (::write(pipe_end, "x", 1) == 1) ::pause();
      },
      nameless);
  ::_exit(0);
}

TEST(File, WritersOfOneFileLeaveEachOtherAloneAndTheDeadAreCleanedUp) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  constexpr bool kNamed = false;
  std::vector<pid_t> writers;
  for (std::size_t i = 1; i <= 3; ++i) {
    writers.push_back(start_writer(folder / "f", ends[1], kNamed));
    char begun = 0;
    ASSERT_EQ(::read(ends[0], &begun, 1), 1);
    EXPECT_EQ(files_in(folder), i);
  }
  for (const bool nameless : {true, false}) {
    write_file_beside(
        folder / "f", [](FileWriter& writer) { writer.write("new"); }, nameless);
    EXPECT_EQ(read_file(folder / "f", 100), "new");
    EXPECT_EQ(files_in(folder), 4U) << "those of living writers stay";
  }
  write_file(folder / "g", "other");
  for (const pid_t writer : writers) {
    ::kill(writer, SIGKILL);
    ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  }
  EXPECT_EQ(files_in(folder), 5U);
  write_file(folder / "f", "newest");
  EXPECT_EQ(files_in(folder), 2U);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(File, WritesByNameAsAWhole) {
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  EXPECT_THROW(write_file_by_name(folder / "f",
                                  [](const std::string& name) {
                                    std::ofstream(name) << "half";
                                    throw Error("stop");
                                  }),
               Error);
  EXPECT_EQ(read_file(folder / "f", 100), "old");
  write_file_by_name(folder / "f", [](const std::string& name) { std::ofstream(name) << "new"; });
  EXPECT_EQ(read_file(folder / "f", 100), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(File, TheFolderIsSyncedAfterTheRename) {
  const TemporaryFolder folder;
  synced_folders = 0;
  write_file(folder / "f", "new");
  EXPECT_EQ(synced_folders, 1);
}

// Calls read() over and over while another process shortens and lengthens the file, until it was refused too.
void read_while_it_changes(const std::string& path, const std::function<void()>& read) {
  const auto size = static_cast<off_t>(std::filesystem::file_size(path));
  const pid_t rotator = ::fork();
  if (rotator == 0) {
    while (::truncate(path.c_str(), size) == 0 && ::truncate(path.c_str(), 10) == 0) {
    }
    ::_exit(1);
  }
  int refused = 0;
  for (int i = 0; i < 200 || (refused == 0 && i < 20'000); ++i) {
    try {
      read();
    } catch (const InputError&) {
      ++refused;
    }
  }
  ::kill(rotator, SIGKILL);
  ASSERT_EQ(::waitpid(rotator, nullptr, 0), rotator);
  EXPECT_GT(refused, 0);
}

TEST(File, AFileThatShrinksWhileItIsReadIsAnError) {
  const TemporaryFolder folder;
  std::string text = "a,b\n";
  while (text.size() < 4'000'000) text += "1.5,2.25\n";
  write_file(folder / "f.csv", text);
  read_while_it_changes(folder / "f.csv", [&] { WholeFile(folder / "f.csv"); });
  write_file(folder / "f.csv", text);
  CsvOptions options;
  options.block_bytes = 1 << 16;
  const std::vector<CsvColumn> wanted(2, CsvColumn::kNumber);
  read_while_it_changes(folder / "f.csv", [&] { CsvFile(folder / "f.csv", options).load<float>(std::span(wanted)); });

  write_file(folder / "g", "0123456789");
  const InputFile file(folder / "g");
  std::filesystem::resize_file(folder / "g", 4);
  std::string bytes(10, '\0');
  EXPECT_EQ(rejection([&] { file.read_at(0, bytes); }),
            (folder / "g") +
                ": expected 10 bytes, as when it was opened, found 4 (another program has changed the "
                "file: read it again, or a copy of it)");
}

TEST(File, DevicesWithoutAnEndAreRefused) {
  EXPECT_EQ(rejection([] { WholeFile("/dev/zero"); }),
            "/dev/zero: expected a file or a pipe, found a device (if you trust it, lift the limits: no_limits, or "
            "FAITHFUL_NO_LIMITS=1)");
  EXPECT_EQ(WholeFile("/dev/null").bytes(), "");
}

TEST(File, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  const std::string message = with_small_disk([&] { write_file(folder / "f", std::string(100'000, 'n')); });
  EXPECT_EQ(message, (folder / "f") + ": cannot write: File too large");
  EXPECT_EQ(read_file(folder / "f", 100), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(File, AppendsAsAWholeOrNotAtAll) {
  const TemporaryFolder folder;
  AppendedFile file(folder / "f");
  file.append("first\n");
  const std::string message = with_small_disk([&] { file.append(std::string(5000, 'n')); });
  EXPECT_EQ(message, (folder / "f") + ": cannot write: File too large");
  EXPECT_EQ(read_file(folder / "f", 10'000), "first\n");
  file.append("second\n");
  EXPECT_EQ(read_file(folder / "f", 100), "first\nsecond\n");
  file.cut(3);
  EXPECT_EQ(AppendedFile(folder / "f").path(), folder / "f");
  EXPECT_EQ(read_file(folder / "f", 100), "fir");
  EXPECT_EQ(rejection([&] { const AppendedFile none(folder / "no/f"); }),
            (folder / "no/f") + ": expected a folder to write in, found no folder \"" + (folder / "no") + "\"");
}

TEST(File, AnOutputBelongsToOneAtATime) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("f", folder / "link");
  std::ofstream(folder / ".f.lock") << "of a killed process";
  {
    const OutputLock lock(folder / "f");
    for (const char* name : {"f", "link"})
      EXPECT_EQ(
          rejection([&] { const OutputLock second(folder / name); }),
          (folder / name) +
              ": expected a file that no other process writes, found one that is in use (wait for its end, or take "
              "another)");
    const OutputLock other(folder / "g");
  }
  EXPECT_EQ(files_in(folder), 1U);  // the link
  const OutputLock again(folder / "f");
  const OutputLock device("/dev/null");
  EXPECT_FALSE(std::filesystem::exists("/dev/.null.lock"));
}

TEST(File, DevFullIsAnError) {
  EXPECT_THROW(
      {
        try {
          write_file("/dev/full", "x");
        } catch (const InputError&) {
          ADD_FAILURE() << "a full disk is not the user's mistake";
        }
      },
      Error);
}

TEST(File, ModeIsKeptAndLinksAreFollowed) {
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  ASSERT_EQ(::chmod((folder / "f").c_str(), 0640), 0);
  std::filesystem::create_symlink("f", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "f", 100), "new");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(File, PipesAreReadUpToTheirLimitAndWritten) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string bytes(150'000, 'p');
  {
    std::thread writer([&] { write_file(pipe, bytes); });
    EXPECT_EQ(WholeFile(pipe).bytes(), bytes);
    writer.join();
  }
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    try {
      write_file(pipe, bytes);
    } catch (const Error&) {  // the reader went away
    }
  });
  EXPECT_EQ(rejection([&] { WholeFile(pipe, 1000); }), pipe + ": expected at most 1000 bytes, found more");
  writer.join();
  std::signal(SIGPIPE, old_handler);
}

TEST(File, BadPathsToRead) {
  const TemporaryFolder folder;
  write_file(folder / "pumps.csv", "1\n");
  const std::string at = folder.path().string();
  const auto message = [](const std::string& path) { return rejection([&] { WholeFile file(path); }); };
  EXPECT_EQ(message(at + "/pump.csv"),
            at + "/pump.csv: expected a file, found none of that name (did you mean \"pumps.csv\"?)");
  EXPECT_EQ(message(at + "/zzzzzz"), at + "/zzzzzz: expected a file, found none of that name");
  EXPECT_EQ(message(at + "/no/pump.csv"), at + "/no/pump.csv: expected a file, found none of that name (the folder \"" +
                                              at + "/no\" does not exist or cannot be read)");
  EXPECT_EQ(message(at), at + ": expected a file, found a folder");
  EXPECT_EQ(message(""), "path: expected the name of a file, found an empty one");
  EXPECT_EQ(rejection([&] { read_file(at + "/pumps.csv", 1); }), at + "/pumps.csv: expected at most 1 bytes, found 2");
  EXPECT_EQ(rejection([&] { read_file(at, 1); }), at + ": expected a file, found a folder");
}

TEST(File, BadPathsToWrite) {
  const TemporaryFolder folder;
  write_file(folder / "f", "1\n");
  const std::string at = folder.path().string();
  const auto message = [](const std::string& path) { return rejection([&] { write_file(path, "x"); }); };
  EXPECT_EQ(message(at), at + ": expected a file to write, found a folder");
  EXPECT_EQ(message(at + "/new/"), at + "/new/: expected a file to write, found a folder");
  EXPECT_EQ(message(at + "/no/f"), at + "/no/f: expected a folder to write in, found no folder \"" + at + "/no\"");
  EXPECT_EQ(message(at + "/f/g"), at + "/f/g: expected a folder to write in, found a file \"" + at + "/f\"");
  EXPECT_EQ(message(""), "path: expected the name of a file, found an empty one");
  EXPECT_EQ(message(at + "/" + std::string(300, 'n')),
            at + "/" + std::string(300, 'n') + ": expected a file that can be written, found a name that is too long");
}

// Root may do everything: the child becomes nobody.
void as_another_user(const std::function<void()>& check) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    check();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(File, NoPermission) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  write_file(at + "/f", "old");
  ASSERT_EQ(::chmod((at + "/f").c_str(), 0), 0);
  ASSERT_EQ(::chmod(at.c_str(), 0555), 0);
  as_another_user([&] {
    EXPECT_EQ(rejection([&] { WholeFile(at + "/f"); }),
              at + "/f: expected a file that may be read, found no permission to read it");
    EXPECT_EQ(rejection([&] { write_file(at + "/g", "x"); }),
              at + "/g: expected a file that may be written, found no permission to write in \"" + at + "\"");
    EXPECT_EQ(rejection([&] { write_file(at + "/f", "x"); }),
              at + "/f: expected a file that may be written, found no permission to write it");
  });
  ::chmod(at.c_str(), 0700);
}

}  // namespace
}  // namespace faithful
