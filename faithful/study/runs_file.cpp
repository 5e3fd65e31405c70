#include "faithful/study/runs_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/study/runs_file_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kDigits = 16;  // of a digest

Json settings_json(const StudySettings& settings) {
  Json fields = Json::object();
  for (const auto& [name, value] : settings.fields) fields.set(name, value);
  return Json::Object{{"kind", "settings"},
                      {"settings", settings.digest()},
                      {"data", settings.data},
                      {"split", settings.split},
                      {"fields", fields}};
}

StudySettings parse_settings(const Json& json, const std::string& place) {
  StudySettings settings{json["data"].string(place), json["split"].string(place), {}};
  for (const auto& [name, value] : json["fields"].members(place))
    settings.fields.emplace_back(name, value.string(place));
  return settings;
}

void add_line(const std::string& line, const std::string& place, LoadedRuns& loaded) {
  const Json json = parse_json(line, place);
  if (json["kind"].string(place) == "settings") {
    loaded.settings.push_back(parse_settings(json, place));
  } else {
    loaded.runs.push_back(parse_run(json, place));
  }
}

// Names the first field that differs.
[[noreturn]] void reject_settings(const std::string& path, const StudySettings& wanted, const StudySettings& found) {
  for (const auto& [name, value] : wanted.fields) {
    const auto other = std::ranges::find(found.fields, name, [](const auto& field) { return field.first; });
    const std::string had = other == found.fields.end() ? "none" : other->second;
    if (had == value) continue;
    reject({{path},
            fmt::format("runs of {} with {} {}", wanted.data, name, value),
            fmt::format("{} {}", name, had),
            "use the same settings, or another folder"});
  }
  reject({{path}, "runs with the same settings", "others", "use another folder"});
}

}  // namespace

std::string StudySettings::digest() const {
  std::string text = data + "\n" + split + "\n";
  for (const auto& [name, value] : fields) text += name + "=" + value + "\n";
  return sha256(text).substr(0, kDigits);
}

LoadedRuns load_runs(const std::string& path) {
  const WholeFile file(path);
  return parse_runs(file.bytes(), path);
}

LoadedRuns parse_runs(std::string_view bytes, const std::string& path) {
  LoadedRuns loaded;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = bytes.find('\n', begin);
    ++number;
    if (end == std::string_view::npos) {
      loaded.notice =
          fmt::format("{}:{}: the last line is not complete and is dropped; its job runs again", path, number);
      break;
    }
    add_line(std::string(bytes.substr(begin, end - begin)), fmt::format("{}:{}", path, number), loaded);
    begin = loaded.good_bytes = end + 1;
  }
  return loaded;
}

bool is_among(const StudySettings& settings, const std::vector<StudySettings>& known, const std::string& path) {
  for (const StudySettings& found : known) {
    if (found.data != settings.data || found.split != settings.split) continue;
    if (!(found == settings)) reject_settings(path, settings, found);
    return true;
  }
  return false;
}

std::string settings_line(const StudySettings& settings) {
  return dump_json(settings_json(settings)) + "\n";
}

RunsFile::RunsFile(const std::string& path) : RunsFile(path, FileLock::kAlone) {
  take_worker_runs();
  std::error_code ignored;
  std::filesystem::remove_all(workers_folder(path), ignored);  // claims of the dead: nobody else has the file
}

RunsFile::RunsFile(const std::string& path, FileLock lock) : file_(path) {
  lock_file(file_.descriptor(), path, lock);
  loaded_ = load_runs(path);
  if (!loaded_.notice.empty()) file_.cut(loaded_.good_bytes);
}

void RunsFile::use_settings(const StudySettings& settings) {
  if (is_among(settings, loaded_.settings, path())) return;
  append(settings_line(settings));
  loaded_.settings.push_back(settings);
}

void RunsFile::add(const StudyRun& run) {
  append(dump_json(to_json(run)) + "\n");
  loaded_.runs.push_back(run);
}

void RunsFile::append(const std::string& line) {
  file_.append(line);
  file_.sync();
}

}  // namespace faithful
