#include "faithful/train/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/io/safetensors.h"
#include "faithful/ranks/ranks.h"

namespace faithful {

namespace {

constexpr std::string_view kFormat = "faithful checkpoint 1";
constexpr std::string_view kFieldPrefix = "identity.";  // of the metadata; numbered, so that their order stays
constexpr std::size_t kCounters = 4;
constexpr std::size_t kSeconds = 5;

template <class Seconds>
auto fields_of(Seconds& seconds) {
  return std::array{&seconds.data, &seconds.forward_backward, &seconds.update, &seconds.validation,
                    &seconds.checkpoints};
}

std::size_t epoch_field_count() {
  std::size_t count = 0;
  EpochRecord record;
  visit_epoch_fields(record, [&](const char*, double&) { ++count; });
  return count;
}

// The arrays of a file; it keeps those that are made for it.
class Arrays {
 public:
  template <class T>
  void add(const std::string& name, std::vector<std::size_t> shape, std::span<const T> values) {
    entries_.push_back(safetensors_entry<T>(name, std::move(shape), values));
  }
  void add_counters(std::vector<std::int64_t> values) {
    counters_ = std::move(values);
    add<std::int64_t>("counters", {counters_.size()}, counters_);
  }
  void add_made(const std::string& name, std::vector<std::size_t> shape, std::vector<double> values) {
    made_.push_back(std::move(values));
    add<double>(name, std::move(shape), made_.back());
  }

  void add(const std::string& prefix, const TrainRecord& record) {
    std::vector<double> history, seconds;
    for (const EpochRecord& epoch : record.history)
      visit_epoch_fields(epoch, [&](const char*, const double& value) { history.push_back(value); });
    for (const double* value : fields_of(record.seconds)) seconds.push_back(*value);
    add_made(prefix + "history", {record.history.size(), epoch_field_count()}, std::move(history));
    add_made(prefix + "seconds", {kSeconds}, std::move(seconds));
    add_made(prefix + "best_epoch", {}, {static_cast<double>(record.best_epoch)});
    const Matrix<float>& scores = record.validation_scores;
    add<float>(prefix + "scores", {scores.rows, scores.columns}, scores.values);
    add<std::int32_t>(prefix + "labels", {record.validation_labels.size()}, record.validation_labels);
  }

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

 private:
  std::vector<SafetensorsEntry> entries_;
  std::vector<std::int64_t> counters_;
  std::deque<std::vector<double>> made_;
};

// Reads what Arrays wrote; every number is checked before it is used.
class Reader {
 public:
  explicit Reader(Safetensors file) : file_(std::move(file)) {
    const std::string& path = file_.place();
    const SafetensorsMetadata& metadata = file_.metadata();
    const auto format = metadata.find("format");
    if (format == metadata.end() || format->second != kFormat)
      reject({{path}, fmt::format("a {}", kFormat), format == metadata.end() ? "none" : quote(format->second)});
    const auto digest = metadata.find(std::string(kDigestKey));
    if (digest == metadata.end() || digest->second != digest_of(file_.entries(), metadata))
      reject({{path}, "an undamaged checkpoint", "another digest than the one it carries"});
  }

  TrainRecord record(const std::string& prefix) const {
    TrainRecord record;
    const std::vector<double> history = values<double>(prefix + "history", 2);
    const std::size_t fields = epoch_field_count();
    require(file_.at(prefix + "history").shape[1] == fields, prefix + "history");
    record.history.resize(history.size() / fields);
    std::size_t at = 0;
    for (EpochRecord& epoch : record.history)
      visit_epoch_fields(epoch, [&](const char*, double& value) { value = history[at++]; });
    const std::vector<double> seconds = exactly<double>(prefix + "seconds", kSeconds);
    for (std::size_t i = 0; i < kSeconds; ++i) *fields_of(record.seconds)[i] = seconds[i];
    record.best_epoch = count(exactly<double>(prefix + "best_epoch", 1)[0], prefix + "best_epoch");
    require(record.best_epoch <= record.history.size(), prefix + "best_epoch");
    const std::string scores = prefix + "scores";
    std::vector<float> all = values<float>(scores, 2);
    const std::vector<std::size_t> shape = file_.at(scores).shape;
    record.validation_scores = Matrix<float>(shape[0], shape[1], std::move(all));
    record.validation_labels = values<std::int32_t>(prefix + "labels", 1);
    const std::size_t windows = record.validation_labels.size();
    require(shape[0] <= (windows == 0 ? 0 : record.history.size()) && shape[1] == windows, scores);
    return record;
  }

  template <class T>
  std::vector<T> exactly(const std::string& name, std::size_t size) const {
    std::vector<T> all = file_.values<T>(name);
    require(all.size() == size, name);
    return all;
  }
  template <class T>
  std::vector<T> values(const std::string& name, std::size_t rank) const {
    require(file_.at(name).shape.size() == rank, name);
    return file_.values<T>(name);
  }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  std::size_t count(double value, const std::string& name) const {
    require(value >= 0 && value < 1e15 && value == std::floor(value), name);
    return static_cast<std::size_t>(value);
  }
  void require(bool holds, const std::string& name) const {
    if (!holds) reject({{file_.place()}, "an undamaged checkpoint", fmt::format("an impossible {}", quote(name))});
  }
  const SafetensorsMetadata& metadata() const { return file_.metadata(); }
  const std::string& place() const { return file_.place(); }

 private:
  Safetensors file_;
};

Identity read_identity(const SafetensorsMetadata& metadata) {
  Identity identity;  // keys are sorted, and their numbers have the same width
  for (const auto& [key, value] : metadata)
    if (key.starts_with(kFieldPrefix) && key.find(' ') != std::string::npos)
      identity.emplace_back(key.substr(key.find(' ') + 1), value);
  return identity;
}

Arrays arrays_of(const TrainState& state, const WeightsView& weights) {
  Arrays arrays;
  const std::size_t n = weights.weights.size();
  arrays.add_counters({static_cast<std::int64_t>(state.epoch), static_cast<std::int64_t>(state.batch),
                       static_cast<std::int64_t>(state.step), 0});
  arrays.add<float>("weights", {n}, weights.weights);
  arrays.add<float>("first_moments", {n}, weights.first_moments);
  arrays.add<float>("second_moments", {n}, weights.second_moments);
  if (!state.best_weights.empty()) arrays.add<float>("best_weights", {n}, state.best_weights);
  arrays.add_made("sums", {2}, {state.loss_sum, state.norm_sum});
  arrays.add("now.", state.record);
  return arrays;
}

SafetensorsMetadata metadata_of(const Arrays& arrays, const Identity& identity) {
  SafetensorsMetadata metadata{{"format", std::string(kFormat)}};
  for (std::size_t i = 0; i < identity.size(); ++i)
    metadata[fmt::format("{}{:04} {}", kFieldPrefix, i, identity[i].first)] = identity[i].second;
  metadata[std::string(kDigestKey)] = digest_of(arrays.entries(), metadata);
  return metadata;
}

Checkpoint read_checkpoint(const Reader& file) {
  Checkpoint checkpoint;
  checkpoint.identity = read_identity(file.metadata());
  checkpoint.weights = file.values<float>("weights", 1);
  const std::size_t n = checkpoint.weights.size();
  checkpoint.first_moments = file.exactly<float>("first_moments", n);
  checkpoint.second_moments = file.exactly<float>("second_moments", n);

  TrainState& state = checkpoint.state;
  const std::vector<std::int64_t> counters = file.exactly<std::int64_t>("counters", kCounters);
  for (const std::int64_t counter : counters)
    file.require(counter >= 0 && counter <= std::numeric_limits<std::uint32_t>::max(), "counters");
  if (counters[3] > 0)
    reject({{file.place()},
            "a checkpoint of this version",
            "one of folds that were trained one after the other",
            fmt::format("without {} it begins anew", field_text("resume"))});
  state.epoch = static_cast<std::size_t>(counters[0]);
  state.batch = static_cast<std::size_t>(counters[1]);
  state.step = static_cast<std::size_t>(counters[2]);
  const std::vector<double> sums = file.exactly<double>("sums", 2);
  state.loss_sum = sums[0], state.norm_sum = sums[1];
  state.record = file.record("now.");
  file.require(state.record.history.size() == state.epoch, "now.history");
  if (file.has("best_weights")) state.best_weights = file.exactly<float>("best_weights", n);
  file.require(state.best_weights.empty() == (state.record.best_epoch == 0), "best_weights");

  return checkpoint;
}

}  // namespace

Checkpoint load_checkpoint(const std::string& path) {
  return read_checkpoint(Reader(load_safetensors(path)));
}

Checkpoint parse_checkpoint(std::string bytes, const std::string& place) {
  return read_checkpoint(Reader(parse_safetensors(std::move(bytes), place)));
}

void save_checkpoint(const std::string& path, const Identity& identity, const TrainState& state,
                     const WeightsView& weights) {
  const Arrays arrays = arrays_of(state, weights);
  save_safetensors(path, arrays.entries(), metadata_of(arrays, identity));
}

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  const auto& [identity, state, weights, first, second] = checkpoint;
  const Arrays arrays = arrays_of(state, {weights, first, second});
  return safetensors_bytes(arrays.entries(), metadata_of(arrays, identity));
}

namespace {

// What to do about a checkpoint of another instruction set.
std::string instruction_set_hint(const std::string& recorded) {
  const std::vector<std::string> here = instruction_sets();
  const std::string anew = fmt::format("without {} it begins anew", field_text("resume"));
  if (std::find(here.begin(), here.end(), recorded) == here.end()) return "this machine does not have it; " + anew;
  return fmt::format("set FAITHFUL_ISA={}; {}", recorded, anew);
}

bool is_of_training(const std::string& name) {
  return name.starts_with("train.") || name.starts_with("model.");
}

void check_instruction_set(const std::string& wanted, const std::string* found, const std::string& path) {
  if (found == nullptr || *found == wanted) return;
  reject({{path}, fmt::format("a checkpoint made with {} instructions", wanted), *found, instruction_set_hint(*found)});
}

}  // namespace

void check_identity(const Identity& wanted, const Checkpoint& found, const std::string& path) {
  const auto value_in = [](const Identity& fields, const std::string& name) -> const std::string* {
    const auto field = std::ranges::find(fields, name, [](const auto& each) { return each.first; });
    return field == fields.end() ? nullptr : &field->second;
  };
  const std::string hint = fmt::format("without {} it begins anew", field_text("resume"));
  bool of_training = false;  // the caller may want but a part
  for (const auto& [name, value] : wanted) {
    of_training = of_training || is_of_training(name);
    const std::string* other = value_in(found.identity, name);
    if (name == kInstructionSetField)
      check_instruction_set(value, other, path);
    else if (other == nullptr || *other != value)
      reject({{path},
              fmt::format("a checkpoint of the same run, with {} {}", name, quote(value)),
              other == nullptr ? "none" : quote(*other),
              hint});
  }
  for (const auto& [name, value] : found.identity)  // fields that are left out where they do nothing
    if (of_training && is_of_training(name) && value_in(wanted, name) == nullptr)
      reject({{path}, fmt::format("a checkpoint of the same run, without {}", name), quote(value), hint});
}

std::string checkpoint_path(const std::string& path, std::size_t number, std::size_t trainings) {
  if (path.empty() || trainings == 1) return path;
  std::filesystem::path made = path;
  const std::string extension = made.extension();
  made.replace_extension(fmt::format("{}{}", number + 1, extension));
  return made;
}

std::vector<std::string> checkpoint_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  if (path.empty()) return files;
  const fs::path whole = path, folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  const std::string begin = whole.stem().string() + ".", end = whole.extension();
  std::error_code failure;
  const fs::directory_iterator entries(folder, failure);
  if (failure) throw Error(fmt::format("{}: cannot look for checkpoints: {}", folder.string(), failure.message()));
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename();
    const bool framed = name.size() > begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
    const std::string number = framed ? name.substr(begin.size(), name.size() - begin.size() - end.size()) : "";
    const bool numbered = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    if (numbered || name == whole.filename()) files.push_back(whole.has_parent_path() ? entry.path().string() : name);
  }
  std::ranges::sort(files);
  return files;
}

Checkpoints::Checkpoints(CheckpointOptions options, Ranks* ranks)
    : options_(std::move(options)), last_(std::chrono::steady_clock::now()) {
  if (!wanted() || !options_.resume) return;
  if ((ranks == nullptr || ranks->is_first()) && std::filesystem::exists(options_.path))
    found_ = load_checkpoint(options_.path);
  if (ranks == nullptr || ranks->is_alone()) return;
  std::string bytes = ranks->broadcast(found_ ? checkpoint_bytes(*found_) : "");
  if (!ranks->is_first() && !bytes.empty()) found_ = parse_checkpoint(std::move(bytes), options_.path);
}

bool Checkpoints::due() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - last_;
  return wanted() && passed.count() >= options_.seconds;
}

void Checkpoints::save(const Identity& identity, const TrainState& state, const WeightsView& weights) {
  if (!wanted()) return;
  save_checkpoint(options_.path, identity, state, weights);
  last_ = std::chrono::steady_clock::now();
}

}  // namespace faithful
