// Any bytes are a checkpoint or an InputError, and a checkpoint writes itself to bytes that read back to the same. As a
// whole file, and with a digest that fits, which would keep what comes after it from being reached.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/io/safetensors.h"
#include "faithful/train/checkpoint.h"

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
    const auto& [identity, done, state, weights, first, second] = checkpoint;
    if (weights.size() != first.size() || weights.size() != second.size()) std::abort();
    if (!state.best_weights.empty() && state.best_weights.size() != weights.size()) std::abort();
    if (state.record.history.size() != state.epoch) std::abort();
    check_record(state.record);
    for (const faithful::TrainRecord& record : done) check_record(record);
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
  std::string sealed;
  try {
    const faithful::Safetensors file = faithful::parse_safetensors(bytes, "fuzz");
    faithful::SafetensorsMetadata metadata = file.metadata();
    metadata["digest"] = faithful::digest_of(file.entries(), metadata);
    sealed = faithful::safetensors_bytes(file.entries(), metadata);
  } catch (const faithful::InputError&) {
    return 0;
  }
  try_checkpoint(sealed);
  return 0;
}
