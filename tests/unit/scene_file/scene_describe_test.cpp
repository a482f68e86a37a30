#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "saltus/base/error.h"
#include "saltus/base/units.h"
#include "saltus/scene_file/describe.h"
#include "saltus/scene_file/schema.h"

using namespace saltus;
using nlohmann::json;

namespace {

int maps_below(const OptionDoc& doc) {
  int count = doc.type == OptionDoc::Type::map ? 1 : 0;
  for (const OptionDoc& child : doc.children) count += maps_below(child);
  return count;
}

void expect_complete(const OptionDoc& map) {
  for (const OptionDoc& child : map.children) {
    if (map.type == OptionDoc::Type::map) {
      CAPTURE(child.key);
      CHECK(child.help.size() > 1);
      CHECK(unit_name(child.dimension) != "SI units");
    }
    expect_complete(child);
  }
}

int objects_below(const json& schema) {
  int count = 0;
  if (schema.is_object() && schema.contains("properties")) {
    ++count;
    CHECK(schema["additionalProperties"] == false);
    if (schema.contains("required"))
      for (const json& key : schema["required"])
        CHECK(schema["properties"].contains(key.get<std::string>()));
  }
  if (schema.is_object()) {
    for (const auto& [key, child] : schema.items())
      if (key != "if") count += objects_below(child);  // a condition is no object of the scene
  } else if (schema.is_array()) {
    for (const json& child : schema) count += objects_below(child);
  }
  return count;
}

}  // namespace

TEST_CASE("every option of a scene has help and a unit with a name") {
  CHECK(maps_below(scene_document()) > 20);
  expect_complete(scene_document());
}

TEST_CASE("every topic is described as text, Markdown and JSON") {
  for (std::string_view topic : describe_topics()) {
    CAPTURE(topic);
    const std::string text = describe_options(topic, DescribeFormat::text);
    const std::string markdown = describe_options(topic, DescribeFormat::markdown);
    const json parsed = json::parse(describe_options(topic, DescribeFormat::json));
    CHECK(text.size() > 200);
    std::size_t rows = 0;
    for (const json& section : parsed) {
      CHECK(markdown.find("## `" + section["name"].get<std::string>() + "`") != std::string::npos);
      for (const json& option : section["options"]) {
        ++rows;
        const std::string key = option["key"], help = option["help"];
        CHECK(text.find("  " + key + " ") != std::string::npos);
        CHECK(text.find(help) != std::string::npos);
        CHECK(markdown.find("| `" + key + "` | ") != std::string::npos);
      }
    }
    CHECK(rows > 3);
  }
  CHECK_THROWS_WITH_AS(
      describe_options("scheme", DescribeFormat::text),
      "'scheme' is not known here; did you mean `schemes`? allowed: scene, bodies, schemes, laws",
      SceneError);
}

TEST_CASE("the reference names kinds, units, ranges, defaults and rules") {
  const std::string schemes = describe_options("schemes", DescribeFormat::markdown);
  CHECK(schemes.find("## `moreau-jean`") != std::string::npos);
  CHECK(schemes.find("| `theta` | number, [0, 1] | 0.5 | ") != std::string::npos);
  CHECK(schemes.find("| `start` | one of exact, raw | exact | ") != std::string::npos);
  const std::string scene = describe_options("scene", DescribeFormat::markdown);
  CHECK(scene.find("| `rate` | number [Hz], > 0 |  | ") != std::string::npos);
  CHECK(scene.find("Rules: at most one of rate, step") != std::string::npos);
  CHECK(scene.find("## `bodies[].string.damping with model`") != std::string::npos);
  CHECK(scene.find("| `against` | map |  | ") != std::string::npos);
  CHECK(scene.find("kind linear: exactly one of oscillator, chain, mesh, matrices; ") !=
        std::string::npos);
  CHECK(scene.find("only for kind linear, lagrangian, particles: prescribed; ") !=
        std::string::npos);
  CHECK(scene.find("| `mass` | list of lists of numbers or list of numbers or text | required |") !=
        std::string::npos);
  CHECK(scene.find(
            "| `at` | number [m] or text or list of 3 numbers [m] |  | required for bodies: ") !=
        std::string::npos);
  CHECK(scene.find("| `frets` | map or list of lists of 2 numbers [m] |") != std::string::npos);
}

TEST_CASE("the schema has an object for every map, closed to unknown keys") {
  const json schema = json::parse(scene_schema());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(objects_below(schema) == maps_below(scene_document()));
  CHECK(schema["required"] == json{"saltus", "time", "bodies"});
  const json& time = schema["properties"]["time"];
  CHECK(time["properties"]["end"]["anyOf"][0] ==
        json{{"type", "number"}, {"exclusiveMinimum", 0.0}});
  CHECK(time["allOf"][0]["not"]["required"] == json{"rate", "step"});
  const json& body = schema["properties"]["bodies"]["items"];
  const json& names = body["properties"]["scheme"]["oneOf"][0]["enum"];
  CHECK(names.size() == 19);
  CHECK(names[0] == "modal-exact");
  CHECK(names[14] == "def-lim");
  CHECK(body["properties"]["kind"]["enum"] ==
        json{"modal", "linear", "lagrangian", "particles", "rigid", "pseudo-rigid", "fem", "beam"});
  // rules of one kind hold where the kind is that one, keys of one kind are closed to the others
  const json& modal = body["allOf"][10];
  CHECK(modal["if"]["properties"]["kind"]["enum"] == json::array({"modal"}));
  CHECK(modal["then"]["allOf"][0]["anyOf"][0]["required"] == json::array({"string"}));
  const json& modal_only = body["allOf"][0];
  CHECK(modal_only["if"]["properties"]["kind"]["enum"] == json::array({"modal"}));
  CHECK(modal_only["else"]["allOf"][0]["not"]["required"] == json::array({"string"}));
  CHECK(body["properties"]["scheme"]["oneOf"][2]["properties"]["kind"]["const"] == "moreau-jean");
  CHECK(body["properties"]["axis"]["minItems"] == 3);
  CHECK(body["properties"]["axis"]["default"] == json{1, 0, 0});
  CHECK(!schema["properties"]["on_failure"].contains("default"));  // that of heaps is another
}
