// Stands in for libFuzzer where we do not fuzz: calls the target on every file of the folders given, and on every
// prefix of the small ones, so that the corpus is a test of each build.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  constexpr std::size_t kSmall = 512;
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      const std::vector<std::uint8_t> bytes(text.begin(), text.end());
      std::fprintf(stderr, "%s\n", entry.path().c_str());  // the last line tells which one crashed
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      if (bytes.size() <= kSmall) {
        for (std::size_t n = 0; n < bytes.size(); ++n) {
          const std::vector<std::uint8_t> prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
          LLVMFuzzerTestOneInput(prefix.data(), prefix.size());
        }
      }
      ++files;
    }
  }
  std::printf("%zu inputs replayed\n", files);
  return files == 0 ? 1 : 0;
}
