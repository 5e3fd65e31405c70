#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/train/over_ranks_internal.h"

namespace faithful::train {

namespace {

std::string_view bytes_of(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

// Names and values, each ended by a zero byte, which none of them has.
std::string packed(const Identity& identity) {
  std::string text;
  for (const auto& [name, value] : identity) text.append(name).append(1, '\0').append(value).append(1, '\0');
  return text;
}

Identity unpacked(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  Identity identity;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) identity.emplace_back(words[i], words[i + 1]);
  return identity;
}

[[noreturn]] void reject_difference(const Identity& first, const Identity& other, std::size_t rank) {
  const auto differs = std::ranges::mismatch(first, other);
  const auto text = [](const Identity& of, Identity::const_iterator at) {
    return at == of.end() ? std::string("nothing more") : fmt::format("{} {}", at->first, quote(at->second));
  };
  const bool of_processor = differs.in1 != first.end() && differs.in1->first == kInstructionSetField;
  reject({{fmt::format("rank {}", rank)},
          fmt::format("the data and options of rank 0, with {}", text(first, differs.in1)),
          text(other, differs.in2),
          of_processor ? "FAITHFUL_ISA can name one that all ranks have" : ""});
}

}  // namespace

void check_same_training(Ranks& ranks, const Identity& identity, std::size_t shards, std::size_t batch) {
  const std::vector<std::string> all = ranks.gather(packed(identity));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0]) reject_difference(identity, unpacked(all[rank]), rank);
  const std::string count = fmt::format("{}", ranks.size());
  if (ranks.size() > shards)
    reject({{"ranks"},
            fmt::format("at most {}: a batch is cut into so many shards", shards),
            count,
            field_text("shards", count)});
  if (ranks.size() > batch)
    reject({{"ranks"}, fmt::format("at most {}: a batch has so many windows", batch), count, field_text("batch")});
}

void check_same_weights(Ranks& ranks, std::span<const float> weights, std::size_t epoch) {
  const std::vector<std::string> all = ranks.gather(sha256(bytes_of(weights)));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw Error(
          fmt::format("rank {} has other weights than rank 0 after epoch {}: their processors or libraries "
                      "compute differently",
                      rank, epoch));
}

void logits_over_ranks_into(Ranks* ranks, const WindowModel& model, const Windows& windows, ThreadPool& pool,
                            std::span<float> logits) {
  if (several(ranks) == nullptr) return logits_into(model, windows, 0, pool, logits);
  const std::size_t count = windows.size(), outputs = model.shape().outputs(), batch = model.batch();
  const std::size_t batches = (count + batch - 1) / batch, rank = ranks->rank();
  const auto first = [&](std::size_t r) { return std::min(count, batches * r / ranks->size() * batch); };
  const std::span<float> own = logits.subspan(first(rank) * outputs, (first(rank + 1) - first(rank)) * outputs);
  if (!own.empty()) logits_into(model, windows, first(rank), pool, own);
  std::string whole;
  for (const std::string& part : ranks->gather(bytes_of(own))) whole += part;
  whole = ranks->broadcast(whole);
  std::copy_n(whole.data(), whole.size(), reinterpret_cast<char*>(logits.data()));
}

}  // namespace faithful::train
