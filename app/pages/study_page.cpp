#include "app/pages/study_page.h"

#include <filesystem>

#include <fmt/format.h>

#include "faithful/base/version.h"
#include "faithful/io/file.h"
#include "faithful/report/page.h"

namespace faithful::app {

WrittenStudy write_study_page(const std::string& folder, const StudyReport& report) {
  const auto in_folder = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  Page page("Which encoding?", fmt::format("faithful {}", build_info().version));
  for (const StudyGroup& group : report.groups) page.add_table(study_scores_table(group));
  page.add_list(verdicts(report.comparisons));
  save_json(in_folder("study.json"), report_json(report));
  WrittenStudy written{in_folder("report.html"), ""};
  write_file(written.path, page.html());
  return written;
}

}  // namespace faithful::app
