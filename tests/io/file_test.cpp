#include "faithful/io/file.h"

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/io/write_file_internal.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

TEST(File, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string bytes = std::string("a\0b\r\n\xFF", 6) + std::string(200'000, 'x');
  for (const bool nameless : {true, false}) {
    for (const std::string& content : {bytes, std::string(), std::string("short")}) {
      write_file_beside(
          folder / "f", [&](FileWriter& writer) { writer.write(content); }, nameless);
      EXPECT_EQ(read_file(folder / "f", 1 << 20), content);
      EXPECT_EQ(MappedFile(folder / "f").bytes(), content);
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

TEST(File, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  // A limit on the size of files stands in for a full disk: write() fails in the same place.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{4096, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  bool is_input_error = false;
  try {
    write_file(folder / "f", std::string(100'000, 'n'));
  } catch (const Error& error) {
    message = error.what();
    is_input_error = dynamic_cast<const InputError*>(&error) != nullptr;
  }
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, (folder / "f") + ": cannot write: File too large");
  EXPECT_FALSE(is_input_error);
  EXPECT_EQ(read_file(folder / "f", 100), "old");
  EXPECT_EQ(files_in(folder), 1U);
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
    EXPECT_EQ(MappedFile(pipe).bytes(), bytes);
    writer.join();
  }
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    try {
      write_file(pipe, bytes);
    } catch (const Error&) {  // the reader went away
    }
  });
  EXPECT_EQ(rejection([&] { MappedFile(pipe, 1000); }), pipe + ": expected at most 1000 bytes, found more");
  writer.join();
  std::signal(SIGPIPE, old_handler);
}

TEST(File, BadPathsToRead) {
  const TemporaryFolder folder;
  write_file(folder / "pumps.csv", "1\n");
  const std::string at = folder.path().string();
  const auto message = [](const std::string& path) { return rejection([&] { MappedFile file(path); }); };
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

TEST(File, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  const TemporaryFolder folder;
  write_file(folder / "f", "old");
  ASSERT_EQ(::chmod((folder / "f").c_str(), 0), 0);
  EXPECT_EQ(rejection([&] { MappedFile(folder / "f"); }),
            (folder / "f") + ": expected a file that may be read, found no permission to read it");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0500), 0);
  EXPECT_EQ(rejection([&] { write_file(folder / "g", "x"); }),
            (folder / "g") + ": expected a file that may be written, found no permission to write in \"" +
                folder.path().string() + "\"");
  ::chmod(folder.path().c_str(), 0700);
}

}  // namespace
}  // namespace faithful
