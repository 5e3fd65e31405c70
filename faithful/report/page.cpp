#include "faithful/report/page.h"

#include <cctype>

#include <fmt/format.h>

#include "faithful/report/text.h"

namespace faithful {

namespace {

constexpr const char* kStyleSheet = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --rule: #d0d7de; --wash: #f6f8fa; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0f1318; --rule: #333b45; --wash: #181e25; --link: #79b8ff; }
}
body { font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif;
  color: var(--ink); background: var(--paper); max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.08rem; margin: 1.8rem 0 .4rem; }
p, ul { max-width: 46rem; }
.subtitle, .note, figcaption, nav { color: var(--soft); }
.lead { font-size: 1.2rem; line-height: 1.5; max-width: 52rem; padding-left: 1.6rem; margin: 1.4rem 0; }
.lead li { margin: .5rem 0; }
nav ul { padding-left: 1.1rem; margin: 1rem 0; }
a { color: var(--link); }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; margin: 1rem 0 .4rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .5rem; }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid var(--rule); white-space: nowrap; }
.prose td:not(.number) { white-space: normal; vertical-align: top; }
th { border-bottom: 2px solid var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
aside { border-left: 4px solid #e69f00; background: var(--wash); padding: .6rem 1rem; margin: 1rem 0; max-width: 44rem; }
pre { background: var(--wash); padding: .8rem 1rem; overflow-x: auto; font-size: .88rem; }
figure { margin: 1.4rem 0; }
figure .picture { background: #ffffff; border: 1px solid var(--rule); border-radius: 6px; padding: .5rem; overflow-x: auto; }
figure svg { display: block; margin: 0 auto; max-width: 100%; height: auto; }
figcaption { font-size: .92rem; margin-top: .5rem; max-width: 46rem; }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } }
)";

// The <svg> element, its ids and the references to them made unique by the prefix: gnuplot calls the first curve of
// every picture `gnuplot_plot_1`.
std::string inline_svg(const std::string& svg, const std::string& prefix) {
  const std::size_t begin = svg.find("<svg");
  const std::string body = begin == std::string::npos ? svg : svg.substr(begin);
  std::string out;
  out.reserve(body.size() + body.size() / 16);
  for (std::size_t at = 0; at < body.size();) {
    bool found = false;
    for (const std::string_view mark : {" id=\"", " id='", "href=\"#", "href='#", "url(#"}) {
      if (body.compare(at, mark.size(), mark) != 0) continue;
      out += mark;
      out += prefix;
      at += mark.size();
      found = true;
      break;
    }
    if (!found) out += body[at++];
  }
  return out;
}

}  // namespace

Page::Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Page::add_lead(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) lead_ += "<li>" + escape_html(sentence) + "</li>\n";
}

void Page::add_heading(const std::string& text, int level) {
  const std::string id = fmt::format("part-{}", ++headings_);
  body_ += fmt::format("<h{} id=\"{}\">{}</h{}>\n", level, id, escape_html(text), level);
  if (level == 2) contents_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escape_html(text));
}

void Page::add_paragraph(const std::string& text) {
  body_ += "<p>" + escape_html(text) + "</p>\n";
}

void Page::add_list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const auto& item : items) body_ += "<li>" + escape_html(item) + "</li>\n";
  body_ += "</ul>\n";
}

void Page::add_note(const std::string& text) {
  body_ += "<aside>" + escape_html(text) + "</aside>\n";
}

void Page::add_code(const std::string& text) {
  body_ += "<pre><code>" + escape_html(text) + "</code></pre>\n";
}

void Page::add_table(const Table& table) {
  body_ += to_html(table);
}

void Page::add_figure(const std::string& svg, const std::string& caption, const std::string& problem) {
  ++figures_;
  body_ += "<figure>";
  if (!svg.empty()) {
    body_ += fmt::format("<div class=\"picture\" role=\"img\" aria-label=\"{}\">\n", escape_html(caption)) +
             inline_svg(svg, fmt::format("f{}-", figures_)) + "</div>\n";
  } else {
    body_ += "<aside>" + escape_html(problem) + "</aside>\n";
  }
  body_ += fmt::format("<figcaption><b>Figure {}.</b> {}</figcaption></figure>\n", figures_, escape_html(caption));
}

std::string Page::html() const {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escape_html(title_), kStyleSheet);
  out += fmt::format("<h1>{}</h1>\n", escape_html(title_));
  if (!subtitle_.empty()) out += fmt::format("<p class=\"subtitle\">{}</p>\n", escape_html(subtitle_));
  if (!lead_.empty()) out += "<ol class=\"lead\">\n" + lead_ + "</ol>\n";
  if (!contents_.empty()) out += "<nav><ul>\n" + contents_ + "</ul></nav>\n";
  return out + body_ + "</body>\n</html>\n";
}

}  // namespace faithful
