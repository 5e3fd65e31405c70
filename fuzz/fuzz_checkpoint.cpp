// Any bytes are a checkpoint or an InputError, and a checkpoint writes itself to bytes that read back to the same. As a
// whole file, and with a digest that fits, so that what comes after its check is reached.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/train/checkpoint.h"
#include "fuzz/sealed.h"

namespace {

// What a resumed training relies on.
void check_record(const faithful::TrainRecord& record) {
  const auto& scores = record.validation_scores;
  const std::size_t windows = record.validation_labels.size();
  if (record.best_epoch > record.history.size() || scores.columns != windows) std::abort();
  if (scores.rows != (windows == 0 ? 0 : record.history.size())) std::abort();
}

void try_checkpoint(const std::string& bytes) {
  try {
    const faithful::Checkpoint checkpoint = faithful::parse_checkpoint(bytes, "fuzz");
    const auto& [identity, state, weights, first, second] = checkpoint;
    if (weights.size() != first.size() || weights.size() != second.size()) std::abort();
    if (!state.best_weights.empty() && state.best_weights.size() != weights.size()) std::abort();
    if (state.record.history.size() != state.epoch) std::abort();
    check_record(state.record);
    faithful::check_identity(identity, checkpoint, "fuzz");
    const std::string again = faithful::checkpoint_bytes(checkpoint);
    if (faithful::checkpoint_bytes(faithful::parse_checkpoint(again, "again")) != again) std::abort();
  } catch (const faithful::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_checkpoint(bytes);
  if (const auto sealed = faithful::fuzz::sealed(bytes)) try_checkpoint(*sealed);
  return 0;
}
