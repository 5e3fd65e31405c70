#include "faithful/base/sha256.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace faithful {
namespace {

// The publication's own test values.
TEST(Sha256, KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every way to cut a text around the size of a block in two gives the digest of the whole.
TEST(Sha256, InPieces) {
  for (const std::size_t size : std::vector<std::size_t>{1, 55, 56, 63, 64, 65, 128, 200}) {
    const std::string text(size, 'x');
    const std::string whole = sha256(text);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      EXPECT_EQ(Sha256().add(text.substr(0, cut)).add(text.substr(cut)).digest(), whole) << size << " at " << cut;
    }
  }
}

}  // namespace
}  // namespace faithful
