#include "faithful/report/table.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/report/text.h"

namespace faithful {
namespace {

Table small_table() {
  return {.title = "Widths",
          .columns = {{"encoding"}, {"peak"}, {"FWHM", "samples"}},
          .rows = {{"sinusoidal", 0.34029, Cell(11.9, 4)}, {"dft", 0.99902, Cell(std::optional<double>{})}}};
}

TEST(NumberText, KeepsSignificantDigits) {
  EXPECT_EQ(number_text(0.34029), "0.3403");
  EXPECT_EQ(number_text(11.9), "11.90");
  EXPECT_EQ(number_text(9.99996), "10.00");
  EXPECT_EQ(number_text(123456.0), "123456");
  EXPECT_EQ(number_text(1.25e-9, 3), "1.25e-9");
  EXPECT_EQ(number_text(-2.5e12, 2), "-2.5e12");
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(NAN), "nan");
  EXPECT_EQ(number_text(-INFINITY), "-inf");
  EXPECT_EQ(number_text(std::optional<double>{}), "–");
}

TEST(ExactText, ReadsBackAsTheSameNumber) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 2.2250738585072014e-308, -123.0}) {
    EXPECT_EQ(std::stod(exact_text(value)), value);
  }
  EXPECT_EQ(exact_text(0.1), "0.1");
}

TEST(Utf8, BrokenBytesAreShown) {
  EXPECT_EQ(escape_html("σ²–漢𝄞"), "σ²–漢𝄞");
  EXPECT_EQ(escape_html("a\xFFz"), "a\\xffz");
  EXPECT_EQ(escape_html("\xC0\x80"), "\\xc0\\x80");                    // longer than needed
  EXPECT_EQ(escape_html("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(escape_html("\xE2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last code point
  EXPECT_EQ(escape_html("a\n\t\x1b\u202e\u0085"), "a\n\t\\x1b\\u202e\\u0085");
}

TEST(CsvWords, AreNoFormulas) {
  for (const char* formula : {"=1+1", "+a", "-a", "@sum", "=HYPERLINK()"})
    EXPECT_EQ(csv_words(formula), std::string("'") + formula);
  EXPECT_EQ(csv_words("=a,b"), "\"'=a,b\"");
  EXPECT_EQ(csv_words("\t=1\x1b[31m"), "\\t=1\\x1b[31m") << "controls are shown";
  for (const char* words : {"-1", "+1.5e3", "a=b", "pump", "-inf"}) EXPECT_EQ(csv_words(words), words);
}

TEST(Utf8, WidthCountsWhatATerminalShows) {
  EXPECT_EQ(text_width("σ²"), 2u);
  EXPECT_EQ(text_width("漢字"), 4u);
  EXPECT_EQ(text_width("e\u0301"), 1u);
}

TEST(Table, Text) {
  EXPECT_EQ(to_text(small_table()),
            "Widths\n"
            "\n"
            "encoding      peak  FWHM [samples]\n"
            "----------  ------  --------------\n"
            "sinusoidal  0.3403           11.90\n"
            "dft         0.9990               –\n");
}

TEST(Table, CsvHasNumbersInFullAndMissingOnesEmpty) {
  Table table = small_table();
  table.rows.push_back({"a, \"b\"\nc", 1.0 / 3, Cell::count(7)});
  EXPECT_EQ(to_csv(table),
            "encoding,peak,FWHM [samples]\n"
            "sinusoidal,0.34029,11.9\n"
            "dft,0.99902,\n"
            "\"a, \"\"b\"\"\\nc\",0.3333333333333333,7\n");
}

TEST(Table, HtmlIsEscaped) {
  Table table = small_table();
  table.title = "<script>";
  table.rows = {{"a & 'b'", 1.0, 2.0}};
  EXPECT_EQ(to_html(table),
            "<div class=\"table\"><table>\n"
            "<caption>&lt;script&gt;</caption>\n"
            "<thead><tr><th>encoding</th><th class=\"number\">peak</th><th class=\"number\">FWHM "
            "[samples]</th></tr></thead>\n"
            "<tbody>\n"
            "<tr><td>a &amp; &#39;b&#39;</td><td class=\"number\">1.000</td><td class=\"number\">2.000</td></tr>\n"
            "</tbody>\n"
            "</table></div>\n");
}

TEST(Table, LinesBreakInHtmlWhereACellHoldsSentences) {
  Table table = small_table();
  EXPECT_EQ(to_html(table).find("class=\"prose\""), std::string::npos);
  table.rows[0][0] = std::string(61, 'x');
  EXPECT_NE(to_html(table).find("<table class=\"prose\">"), std::string::npos);
}

TEST(Table, ControlCharactersDoNotBreakLines) {
  Table table{.title = "t\n1", .columns = {{"a"}}, .rows = {{"x\ny\033[31m"}}};
  EXPECT_EQ(to_text(table), "t\\n1\n\na\n------------\nx\\ny\\x1b[31m\n");
}

TEST(Table, WithoutRowsAndWithoutColumns) {
  EXPECT_EQ(to_text({.title = "", .columns = {{"a"}, {"b"}}, .rows = {}}), "a  b\n-  -\n");
  EXPECT_EQ(to_csv({.title = "", .columns = {{"a"}, {"b"}}, .rows = {}}), "a,b\n");
}

}  // namespace
}  // namespace faithful
