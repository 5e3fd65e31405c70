#include "faithful/ranks/ranks.h"

#include "faithful/base/error.h"
#include "faithful/ranks/patience.h"

namespace faithful {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class OneRank final : public Ranks {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  Transfer start_send(std::span<const std::byte>, std::size_t, RankChannel) override { refuse(); }
  Transfer start_receive(std::span<std::byte>, std::size_t, RankChannel) override { refuse(); }
  bool is_done(Transfer& transfer) override { return transfer == 0; }
  void fail(const std::string&, int) override {}
  void finish() override {}

 private:
  std::optional<Arrived> probe(std::optional<std::size_t>, RankChannel) override { refuse(); }
  [[noreturn]] static void refuse() { throw Error("one process alone has nobody to send to"); }
};

}  // namespace

void Ranks::wait(Transfer& transfer) {
  RankPatience patience;
  while (!is_done(transfer)) patience.pause();
}

void Ranks::send_on(RankChannel channel, std::size_t to, std::string_view bytes) {
  Transfer transfer = start_send(bytes_of(bytes), to, channel);
  wait(transfer);
}

RankMessage Ranks::take(RankChannel channel, const Arrived& arrived) {
  RankMessage message{arrived.from, std::string(arrived.bytes, '\0')};
  Transfer transfer = start_receive(std::as_writable_bytes(std::span(message.bytes)), arrived.from, channel);
  wait(transfer);
  return message;
}

RankMessage Ranks::receive_on(RankChannel channel, std::optional<std::size_t> from) {
  RankPatience patience;
  for (;;) {
    if (const std::optional<Arrived> arrived = probe(from, channel)) return take(channel, *arrived);
    patience.pause();
  }
}

RankMessage Ranks::receive() {
  return receive_on(RankChannel::kMessage, {});
}

std::optional<RankMessage> Ranks::receive_if_any() {
  const std::optional<Arrived> arrived = probe({}, RankChannel::kMessage);
  return arrived ? std::optional(take(RankChannel::kMessage, *arrived)) : std::nullopt;
}

// Down a binary tree: rank r hands on to 2r + 1 and 2r + 2.
std::string Ranks::broadcast(std::string_view bytes) {
  std::string all(is_first() ? bytes : std::string_view());
  if (!is_first()) all = receive_on(RankChannel::kCollective, (rank() - 1) / 2).bytes;
  for (std::size_t to = 2 * rank() + 1; to <= 2 * rank() + 2 && to < size(); ++to)
    send_on(RankChannel::kCollective, to, all);
  return all;
}

std::vector<std::string> Ranks::gather(std::string_view bytes) {
  if (!is_first()) {
    send_on(RankChannel::kCollective, 0, bytes);
    return {};
  }
  std::vector<std::string> all{std::string(bytes)};
  for (std::size_t from = 1; from < size(); ++from) all.push_back(receive_on(RankChannel::kCollective, from).bytes);
  return all;
}

void Ranks::barrier() {
  (void)any(false);
}

bool Ranks::any(bool own) {
  bool found = false;
  for (const std::string& said : gather(own ? "1" : "0")) found = found || said == "1";
  return broadcast(found ? "1" : "0") == "1";
}

std::unique_ptr<Ranks> make_one_rank() {
  return std::make_unique<OneRank>();
}

}  // namespace faithful
