#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/error.h"
#include "saltus/base/json_writer.h"

using namespace saltus;

TEST_CASE("text keeps every character through JSON") {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  all += "\u00e9\u4e16\U0001f3b8";
  CHECK(nlohmann::json::parse(json_quoted(all)).get<std::string>() == all);
  const std::string with_nul("a\0b", 3);
  CHECK(nlohmann::json::parse(json_quoted(with_nul)).get<std::string>() == with_nul);
}

TEST_CASE("maps and lists nest, indented or on one line") {
  const auto write = [](int indent) {
    JsonWriter out(indent);
    out.begin_map();
    out.key("a");
    out.begin_list(true);
    out.number(0.1);
    out.begin_list();
    out.integer(-3);
    out.end_list();
    out.end_list();
    out.key("b");
    out.begin_map();
    out.end_map();
    out.key("c");
    out.boolean(false);
    out.end_map();
    return out.str();
  };
  CHECK(write(0) == R"({"a": [0.1, [-3]], "b": {}, "c": false})");
  CHECK(write(2) == "{\n  \"a\": [0.1, [-3]],\n  \"b\": {},\n  \"c\": false\n}");
}

TEST_CASE("numbers that JSON does not have become null") {
  JsonWriter out(0);
  out.begin_list();
  out.number(std::nan(""));
  out.number(INFINITY);
  out.number(-0.0);
  out.end_list();
  CHECK(out.str() == "[null, null, -0]");
}

TEST_CASE("brackets that do not match are misuse") {
  JsonWriter out;
  out.begin_map();
  CHECK_THROWS_AS(out.end_list(), UsageError);
  CHECK_THROWS_AS(JsonWriter().key("a"), UsageError);
}
