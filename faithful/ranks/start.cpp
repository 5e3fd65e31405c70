#include "faithful/ranks/start.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/ranks/plugin_internal.h"
#include "faithful/ranks/watch_internal.h"

namespace faithful {

namespace {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0) return "unknown host";
  return name;
}

// Ranks by a plug-in, which is called by one thread at a time.
class PluginRanks final : public Ranks {
 public:
  explicit PluginRanks(const FaithfulRanksPlugin& plugin) : plugin_(plugin) {
    int rank = 0, size = 1;
    check(plugin.start(&rank, &size));
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  void watch(const RanksOptions& options) {
    watch_ = std::make_unique<ranks::Watch>(*this, ranks::WatchOptions{.time_out = options.time_out,
                                                                       .host = host_name(),
                                                                       .report = options.report,
                                                                       .abort = [this](int code) { abort(code); }});
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  Transfer start_send(std::span<const std::byte> bytes, std::size_t to, RankChannel channel) override {
    const std::lock_guard lock(mutex_);
    unsigned long transfer = 0;
    check(plugin_.send(bytes.data(), bytes.size(), static_cast<int>(to), static_cast<int>(channel), &transfer));
    return transfer;
  }

  Transfer start_receive(std::span<std::byte> bytes, std::size_t from, RankChannel channel) override {
    const std::lock_guard lock(mutex_);
    unsigned long transfer = 0;
    check(plugin_.receive(bytes.data(), bytes.size(), static_cast<int>(from), static_cast<int>(channel), &transfer));
    return transfer;
  }

  bool is_done(Transfer& transfer) override {
    if (transfer == 0) return true;
    const std::lock_guard lock(mutex_);
    int done = 0;
    check(plugin_.test(transfer, &done));
    if (done != 0) transfer = 0;
    return done != 0;
  }

  void fail(const std::string& line, int code) override { watch_->fail(line, code); }

  void finish() override {
    barrier();
    watch_->finish();
    watch_.reset();
    check(plugin_.finish());
  }

 private:
  std::optional<Arrived> probe(std::optional<std::size_t> from, RankChannel channel) override {
    const std::lock_guard lock(mutex_);
    int found = 0, sender = 0;
    unsigned long count = 0;
    check(plugin_.probe(from ? static_cast<int>(*from) : -1, static_cast<int>(channel), &found, &sender, &count));
    if (found == 0) return {};
    return Arrived{static_cast<std::size_t>(sender), count};
  }

  void check(int error) const {
    if (error == 0) return;
    char text[512] = {};
    plugin_.error_text(error, text, sizeof(text));
    throw Error(fmt::format("MPI failed: {}", text));
  }

  // A thread that is stuck in a call of MPI must not keep the job alive. The launcher may end at once and lose what it has
  // not read of our words, as MPICH's did once on a busy machine: it gets a moment first.
  void abort(int code) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::thread([this, code] {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      plugin_.abort(code);
    }).detach();
    std::this_thread::sleep_for(std::chrono::seconds(5));
    ::_exit(code);
  }

  const FaithfulRanksPlugin& plugin_;
  std::size_t rank_ = 0, size_ = 1;
  std::mutex mutex_;  // of the plug-in
  std::unique_ptr<ranks::Watch> watch_;
};

// Beside the library, or the program that the rooms are part of.
std::string plugin_folder() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&host_name), &info) == 0 || info.dli_fname == nullptr) return {};
  return (std::filesystem::path(info.dli_fname).parent_path() / "faithful").string();
}

std::string plugin_file(const JobSigns& signs) {
  const char* named = std::getenv("FAITHFUL_MPI");
  std::string name = named != nullptr && *named != '\0' ? named : signs.plugin;
  if (name.find('/') != std::string::npos) return name;
  if (name.empty())
    throw InputError(fmt::format(
        "{} has started {} processes without MPI: start them by mpirun, or by srun with the MPI type pmix or pmi2",
        signs.starter, signs.size));
  return fmt::format("{}/libfaithful_{}.so", plugin_folder(), name);
}

const FaithfulRanksPlugin& open_plugin(const JobSigns& signs) {
  const std::string file = plugin_file(signs);
  // Open MPI loads components of its own, which look for its symbols among the global ones.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw InputError(fmt::format("{} has started {} processes, but there is no MPI plug-in for it ({}): build with {}",
                                 signs.starter, signs.size, ::dlerror(), "-DFAITHFUL_MPI=ON"));
  const auto symbol = reinterpret_cast<decltype(&faithful_ranks_plugin)>(::dlsym(library, "faithful_ranks_plugin"));
  if (symbol == nullptr || symbol()->version != kFaithfulRanksVersion)
    reject({{file}, "an MPI plug-in of this version of faithful", "another library"});
  return *symbol();
}

}  // namespace

std::unique_ptr<Ranks> start_ranks(const RanksOptions& options) {
  const JobSigns signs = job_signs();
  if (signs.size == 1) return make_one_rank();
  auto ranks = std::make_unique<PluginRanks>(open_plugin(signs));
  if (ranks->size() != signs.size)
    throw InputError(fmt::format(
        "{} has started {} processes, but the MPI plug-in sees {}: they are of different MPIs (FAITHFUL_MPI: openmpi or "
        "mpich)",
        signs.starter, signs.size, ranks->size()));
  ranks->watch(options);
  return ranks;
}

}  // namespace faithful
