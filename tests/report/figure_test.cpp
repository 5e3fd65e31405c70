#include "faithful/report/figure.h"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "faithful/report/child.h"
#include "faithful/report/color.h"
#include "faithful/report/page.h"

namespace faithful {
namespace {

using Text = std::string;

bool contains(const Text& text, const Text& part) {
  return text.find(part) != Text::npos;
}

// PATH set to something else for the length of a test.
class OtherPath {
 public:
  explicit OtherPath(const char* path) : old_(std::getenv("PATH")) { setenv("PATH", path, 1); }
  ~OtherPath() { setenv("PATH", old_.c_str(), 1); }

 private:
  Text old_;
};

Figure small_figure(const Text& name = "dft") {
  Panel lines{.title = name, .x = {name, "Hz"}, .y = {.label = name, .log = true}};
  for (const Mark mark : {Mark::kLines, Mark::kPoints, Mark::kLinePoints, Mark::kStems}) {
    lines.curves.push_back({.name = name, .x = {0, 1, 2}, .y = {1, 3, NAN}, .mark = mark});
  }
  lines.curves.push_back(
      {.name = name, .x = {0, 1}, .y = {1, 3}, .mark = Mark::kBand, .low = {0.5, 2}, .high = {2, 4}});
  lines.labels = {{.x = 1, .y = 3, .text = name, .x_offset = 9, .ink = name}, {.x = 0, .y = 1, .text = name}};
  Panel map{.title = "map", .x = {.label = "column", .ticks = {{0, name}}}, .y = {.label = "row"}};
  map.heat = HeatMap{.values = Matrix<double>(2, 3, {1, 2, 3, 4, 5, -6}), .label = name};
  return {.name = "small", .panels = {lines, map}};
}

TEST(Figure, SameBytesEveryTime) {
  const Rendering first = render(small_figure());
  ASSERT_EQ(first.problem, "");
  EXPECT_TRUE(contains(first.bytes, "</svg>"));
  EXPECT_TRUE(contains(first.bytes, "dft [Hz]"));
  EXPECT_EQ(first.bytes, render(small_figure()).bytes);
}

// A name is shown as it is: nothing in it is run, expanded or set as superscript.
TEST(Figure, NamesOfUsersAreOnlyText) {
  const Text name = "it's_a `id`; \"$x\" @HOME %s \\n {/b y^2} ~a{b} & <b>";
  const Rendering rendering = render(small_figure(name));
  ASSERT_EQ(rendering.problem, "");
  EXPECT_TRUE(contains(rendering.bytes, "<text>it's_a `id`; \"$x\" @HOME %s \\n {/b y^2} ~a{b} &amp; &lt;b></text>"));
  EXPECT_FALSE(contains(rendering.bytes, "uid="));
  const Rendering broken = render(small_figure("a\nset output 'x'\n\xFF"));
  ASSERT_EQ(broken.problem, "");
  EXPECT_TRUE(contains(broken.bytes, "a\\nset output 'x'\\n\\xff"));
  for (const Text quoted : {"'begins", "ends'", "'", "''", "\"", "\\"}) {
    const Rendering drawn = render(small_figure(quoted));
    EXPECT_EQ(drawn.problem, "");
    EXPECT_TRUE(contains(drawn.bytes, "<text>" + quoted + "</text>")) << quoted;
  }
}

TEST(Figure, EmptyAndConstantOnesAreDrawn) {
  Figure figure{.name = "empty", .panels = {{.title = "nothing", .x = {"x"}, .y = {"y"}}}};
  EXPECT_EQ(render(figure).problem, "");
  figure.panels[0].heat = HeatMap{.values = Matrix<double>(1, 1, 0.0)};
  EXPECT_EQ(render(figure).problem, "");
}

TEST(Figure, WithoutGnuplotThereAreNumbersAndAHint) {
  const OtherPath nowhere("/nonexistent");
  const Rendering rendering = render(small_figure());
  EXPECT_EQ(rendering.bytes, "");
  EXPECT_EQ(
      rendering.problem,
      "no figures drawn: gnuplot was not found (sudo apt install gnuplot-nox); their numbers are in the CSV files");
  EXPECT_TRUE(contains(figure_csv(small_figure()), "dft,dft,1,3,2,4,\n"));
  EXPECT_TRUE(contains(figure_csv(small_figure()), "map,,2,1,,,-6\n"));
}

TEST(Figure, CellsWithoutANumberAreEmpty) {
  Figure figure = small_figure();
  figure.panels.resize(1);
  figure.panels[0].title = "p";
  figure.panels[0].heat.reset();
  figure.panels[0].curves = {{.name = "c", .x = {1, NAN}, .y = {INFINITY, NAN}}};
  EXPECT_EQ(figure_csv(figure), "panel,curve,x,y,low,high,value\np,c,1,,,,\np,c,,,,,\n");
}

TEST(Child, IsGivenInputAndTime) {
  const ChildResult cat = run_child({"cat"}, "some text", 10);
  EXPECT_EQ(cat.output, "some text");
  EXPECT_EQ(cat.status, 0);
  EXPECT_EQ(run_child({"sleep", "20"}, "", 0.05).end, ChildResult::End::kTimedOut);
  EXPECT_EQ(run_child({"no-such-program-anywhere"}, "", 1).end, ChildResult::End::kNotFound);
  EXPECT_EQ(run_child({"false"}, Text(1 << 20, 'x'), 10).status, 1);  // a child that reads nothing
}

TEST(Ink, CatalogNamesDifferAndOthersAreFixed) {
  EXPECT_EQ(ink_of("dft").color, "#0072b2");
  EXPECT_EQ(ink_of("sinusoidal").color, "#d55e00");
  EXPECT_EQ(ink_of("my table.npy").color, ink_of("my table.npy").color);
  EXPECT_NE(ink_of("my table.npy").color, ink_of("dft").color);
}

TEST(Page, EscapesAndLoadsNothing) {
  Page page("<Title>", "sub & title");
  page.add_heading("A <b>");
  page.add_lead({"a < b", "second"});
  page.add_paragraph("1 < 2");
  page.add_list({"x & y"});
  page.add_note("'q'");
  page.add_code("a\n\tb");
  page.add_table({.title = "t", .columns = {{"c"}}, .rows = {{1.0}}});
  page.add_figure("<?xml?><svg id=\"a\"><use xlink:href='#a'/></svg>", "first \"one\"");
  page.add_figure("<svg><g id='a' clip-path=\"url(#a)\"/></svg>", "second");
  page.add_figure("", "third", "no gnuplot");
  const Text html = page.html();
  for (const Text part :
       {"<title>&lt;Title&gt;</title>", "<h2 id=\"part-1\">A &lt;b&gt;</h2>", "<p>1 &lt; 2</p>", "<li>x &amp; y</li>",
        "<aside>&#39;q&#39;</aside>", "a\n\tb", "<svg id=\"f1-a\"><use xlink:href='#f1-a'/></svg>",
        "<g id='f2-a' clip-path=\"url(#f2-a)\"/>", "<b>Figure 3.</b> third", "<aside>no gnuplot</aside>",
        "aria-label=\"first &quot;one&quot;\""}) {
    EXPECT_TRUE(contains(html, part)) << part;
  }
  EXPECT_LT(html.find("<li>a &lt; b</li>\n<li>second</li>"), html.find("<nav>"));  // the lead comes first
  EXPECT_FALSE(contains(html, "<script"));
  EXPECT_FALSE(contains(html, "http"));
}

}  // namespace
}  // namespace faithful
