#include "faithful/io/json.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "tests/allocations.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;

std::string again(const std::string& text) {
  return dump_json(parse_json(text, "f"));
}
std::string complaint(const std::string& text) {
  return rejection([&] { parse_json(text, "f"); });
}

// With libstdc++ 12 a copy in place ended the process.
TEST(Json, CopiesMayRunOutOfMemory) {
  const Json value =
      parse_json(R"(["a text that is not short",{"a name of a member":[1.5,"another long text"]}])", "f");
  Json target;
  const std::size_t thrown = testing::fail_each_allocation(1, [&] {
    Json copy = value;
    copy.push_back(value);
    target = copy;
  });
  EXPECT_GE(thrown, 10U);
  EXPECT_EQ(target.items().back(), value);
}

TEST(Json, KeepsWhatItReads) {
  for (const char* text :
       {"null", "true", "false", "0", "-7", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "0.5", "1e+300", "5e-324", "-0.0", "1.0", "\"\"", "\"a\\\"\\\\\\n\\t\\u0001\"", "[]", "{}", "[1,[2,{}],\"x\"]",
        "{\"z\":1,\"a\":{\"m\":[true,null]},\"b\":2}"}) {
    EXPECT_EQ(again(text), text);
  }
  EXPECT_EQ(again(" { \"a\" : [ 1 , 2 ] } \n"), "{\"a\":[1,2]}");
  EXPECT_EQ(again("\"\\u00e9\\ud83d\\ude00\\/\""), "\"\xC3\xA9\xF0\x9F\x98\x80/\"");
  EXPECT_EQ(again("\xEF\xBB\xBF[1]"), "[1]");
}

TEST(Json, Pretty) {
  Json report = Json::object();
  report.set("name", "dft").set("widths", Json::Array{64, 128}).set("none", Json::array()).set("ok", true);
  EXPECT_EQ(dump_json(report, JsonLayout::kPretty),
            "{\n  \"name\": \"dft\",\n  \"widths\": [\n    64,\n    128\n  ],\n  \"none\": [],\n  \"ok\": true\n}\n");
  report.set("name", "rope");
  EXPECT_EQ(report["name"].string(), "rope");
  EXPECT_EQ(report.members().size(), 4U);
  EXPECT_TRUE(report["absent"].is_null());
  EXPECT_EQ(report.find("absent"), nullptr);
}

TEST(Json, ListsOfStrings) {
  const std::vector<std::string> names = {"a", "", "b\"c"};
  EXPECT_EQ(dump_json(Json::array(names)), "[\"a\",\"\",\"b\\\"c\"]");
  EXPECT_EQ(Json::array(names).strings(), names);
  EXPECT_EQ(rejection([] { parse_json("[\"a\",1]", "f").strings("names"); }),
            "names: expected a string, found a number");
  EXPECT_EQ(rejection([] { Json("a").strings("names"); }), "names: expected an array, found a string");
}

TEST(Json, AlwaysWritesValidJson) {
  EXPECT_EQ(dump_json(NAN), "null");
  EXPECT_EQ(dump_json(-INFINITY), "null");
  EXPECT_EQ(dump_json(0.1F), "0.1");
  EXPECT_EQ(dump_json(3.0), "3.0");
  EXPECT_EQ(dump_json(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(dump_json("a\xFFz"), "\"a" + mark + "z\"");
  EXPECT_EQ(dump_json("\xC0\x80"), "\"" + mark + mark + "\"") << "overlong";
  EXPECT_EQ(dump_json("\xED\xA0\x80"), "\"" + mark + mark + mark + "\"") << "a surrogate";
  EXPECT_EQ(dump_json("\xF4\x90\x80\x80"), "\"" + mark + mark + mark + mark + "\"") << "above U+10FFFF";
  EXPECT_EQ(dump_json("\xE2\x82"), "\"" + mark + mark + "\"") << "cut off";
  EXPECT_EQ(dump_json("\xE2\x82\xAC"), "\"\xE2\x82\xAC\"");
}

TEST(Json, AskedForTheWrongKind) {
  const Json value = parse_json("{\"n\":1.5,\"big\":18446744073709551615,\"s\":\"x\",\"k\":1e3}", "f");
  EXPECT_EQ(value["k"].integer(), 1000);
  EXPECT_EQ(value["n"].number(), 1.5);
  EXPECT_EQ(value["big"].number(), 0x1p64);
  EXPECT_EQ(rejection([&] { value["n"].integer("f: n"); }), "f: n: expected a whole number of 64 bits, found 1.5");
  EXPECT_EQ(rejection([&] { value["big"].integer(); }),
            "JSON: expected a whole number of 64 bits, found 18446744073709551615");
  EXPECT_EQ(value["big"].integer_text(), "18446744073709551615");
  EXPECT_EQ(value["k"].integer_text(), "1000");
  EXPECT_EQ(rejection([&] { value["n"].integer_text("f: n"); }), "f: n: expected a whole number of 64 bits, found 1.5");
  EXPECT_EQ(rejection([&] { value["s"].number(); }), "JSON: expected a number, found a string");
  EXPECT_EQ(rejection([&] { value["s"].integer(); }), "JSON: expected a whole number of 64 bits, found a string");
  EXPECT_EQ(rejection([&] { value.boolean(); }), "JSON: expected a boolean, found an object");
  EXPECT_EQ(rejection([&] { value["n"].string(); }), "JSON: expected a string, found a number");
  EXPECT_EQ(rejection([&] { value["absent"].items(); }), "JSON: expected an array, found null");
  EXPECT_EQ(rejection([&] { Json(true).members(); }), "JSON: expected an object, found a boolean");
}

TEST(Json, Complaints) {
  EXPECT_EQ(complaint(""), "f:1:1: expected valid JSON, found the end of the text");
  EXPECT_EQ(complaint("{\"a\": 1,\n \"b\": }"), "f:2:7: expected valid JSON, found \"}\"");
  EXPECT_EQ(complaint("[1, 2"), "f:1:6: expected valid JSON, found the end of the text");
  EXPECT_EQ(complaint("[1] x"), "f:1:5: expected valid JSON, found \"x\"");
  EXPECT_EQ(complaint(std::string("[1]\n \0 x", 8)), "f:2:2: expected valid JSON, found \"\\x00\"");
  EXPECT_EQ(complaint("// no\n1"), "f:1:1: expected valid JSON, found \"/\"");
  EXPECT_EQ(complaint("[1e999]"), "f:1:6: expected a number that fits a double, found \"1e999\"");
  EXPECT_EQ(complaint("{\"a\":1,\"b\":2,\"a\":3}"), "f: expected each name once in an object, found \"a\" twice");
  EXPECT_EQ(complaint(std::string(65, '[') + std::string(65, ']')),
            "f: expected at most 64 levels of arrays and objects, found more");
  EXPECT_EQ(again(std::string(64, '[') + std::string(64, ']')), std::string(64, '[') + std::string(64, ']'));
  EXPECT_EQ(rejection([] { parse_json("[1,2]", "f", {.most_bytes = 4}); }),
            "f: expected at most 4 bytes of JSON, found 5");
  EXPECT_THROW(parse_json("\"\xFF\"", "f"), InputError);
  EXPECT_THROW(parse_json(std::string(1'000'000, '['), "f"), InputError);
}

TEST(Json, Files) {
  const TemporaryFolder folder;
  Json value = Json::object();
  value.set("x", Json::Array{1, 0.5, "y"});
  save_json(folder / "f.json", value);
  EXPECT_EQ(parse_json(read_file(folder / "f.json", 100), "f"), value);
  EXPECT_EQ(read_file(folder / "f.json", 100).back(), '\n');
}

}  // namespace
}  // namespace faithful
