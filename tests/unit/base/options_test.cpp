#include <doctest/doctest.h>

#include <algorithm>

#include "saltus/base/options_check.h"
#include "saltus/base/options_doc.h"
#include "saltus/base/options_read.h"
#include "saltus/base/options_write.h"

namespace lamp {

using namespace saltus;

enum class Colour { red, green };
constexpr auto names_of(Colour) {
  return std::array{NamedValue{Colour::red, "red"}, NamedValue{Colour::green, "green"},
                    NamedValue{Colour::red, "crimson"}};
}

struct Bulb {
  static constexpr std::string_view name = "bulb";
  double power = 40.0;
  bool operator==(const Bulb&) const = default;
  static constexpr auto fields() {
    return std::tuple{field("power", &Bulb::power, kPositive, "of the bulb")};
  }
};
struct Tube {
  static constexpr std::string_view name = "tube";
  double length = 0.0;
  bool operator==(const Tube&) const = default;
  static constexpr auto fields() {
    return std::tuple{required("length", &Tube::length, unit::m, kPositive, "of the tube")};
  }
};
struct Lamp {
  std::variant<Bulb, Tube> light;
  Colour colour = Colour::green;
  bool on = true;
  int count = 1;
  std::optional<double> angle;
  std::vector<double> steps;
  std::array<double, 2> place{1.0, 2.0};
  std::string label, note;

  bool operator==(const Lamp&) const = default;
  std::optional<Fault> fault() const {
    if (count == 13) return Fault{"count", "13 brings bad luck", "12 or 14"};
    return std::nullopt;
  }
  static constexpr auto rules() {
    return std::array{needs("note", "label"), at_most_one("angle", "steps")};
  }
  static constexpr auto fields() {
    return std::tuple{field("light", &Lamp::light, "what shines"),
                      field("colour", &Lamp::colour, "of the light"),
                      field("on", &Lamp::on, "at the start"),
                      field("count", &Lamp::count, at_least(1), "how many"),
                      field("angle", &Lamp::angle, unit::rad, between(-1.0, 1.0), "of the shade"),
                      field("steps", &Lamp::steps, unit::s, kNotNegative, "of the dimmer"),
                      field("place", &Lamp::place, unit::m, kAnyNumber, "on the wall"),
                      field("label", &Lamp::label, "printed"),
                      field("note", &Lamp::note, "small print")};
  }
};

std::string fault_of(const Lamp& lamp) {
  try {
    check_options(lamp, "lamp");
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

}  // namespace lamp

using namespace saltus;
using lamp::Lamp;

TEST_CASE("options filled in code are checked like those of a file") {
  const auto fault_with = [](auto&& change) {
    Lamp lamp;
    change(lamp);
    return fault_of(lamp);
  };
  CHECK(fault_with([](Lamp&) {}) == "");
  CHECK(fault_with([](Lamp& l) { l.count = 0; }) == "lamp.count: 0 is out of range; allowed: >= 1");
  CHECK(fault_with([](Lamp& l) { l.angle = 1.5; }) ==
        "lamp.angle: 1.5 rad is out of range; allowed: [-1, 1] rad");
  CHECK(fault_with([](Lamp& l) { l.angle = NAN; }) ==
        "lamp.angle: is not a finite number; allowed: [-1, 1] rad");
  CHECK(fault_with([](Lamp& l) {
          l.steps = {0.0, -1.0};
        }) == "lamp.steps[1]: -1 s is out of range; allowed: >= 0 s");
  CHECK(fault_with([](Lamp& l) { l.place[1] = INFINITY; }) ==
        "lamp.place[1]: is not a finite number");
  CHECK(fault_with([](Lamp& l) { l.light = lamp::Tube{}; }) ==
        "lamp.light.length: 0 m is out of range; allowed: > 0 m");
  CHECK(fault_with([](Lamp& l) { l.note = "x"; }) == "lamp.note: needs `label`");
  CHECK(fault_with([](Lamp& l) { l.angle = 0.0, l.steps = {1.0}; }) ==
        "lamp.steps: cannot be given together with `angle`; give at most one of angle, steps");
  CHECK(fault_with([](Lamp& l) { l.count = 13; }) == "lamp.count: 13 brings bad luck; 12 or 14");
}

TEST_CASE("rules name the keys that are missing or too many") {
  const auto faults = [](const std::vector<Rule>& rules, std::vector<std::string_view> set,
                         std::string_view kind = "") -> std::string {
    try {
      check_detail::Members members;
      members.is_set = [&](std::string_view key) {
        return std::ranges::find(set, key) != set.end();
      };
      members.name_of = [&](std::string_view) { return kind; };
      check_detail::check_rules(rules, members, "p");
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  const auto fault = [&](const Rule& rule, std::vector<std::string_view> set) {
    return faults({rule}, std::move(set));
  };
  CHECK(fault(exactly_one("a", "b", "c"), {}) ==
        "p: a key is missing; give exactly one of a, b, c");
  CHECK(fault(exactly_one("a", "b", "c"), {"b"}) == "");
  CHECK(fault(exactly_one("a", "b", "c"), {"c", "b"}) ==
        "p.c: cannot be given together with `b`; give exactly one of a, b, c");
  CHECK(fault(at_least_one("a", "b"), {}) == "p: a key is missing; give at least one of a, b");
  CHECK(fault(at_least_one("a", "b"), {"a", "b"}) == "");
  CHECK(fault(at_most_one("a", "b"), {}) == "");
  CHECK(fault(needs("a", "b"), {"b"}) == "");
  CHECK(fault(needs("a", "b"), {"a"}) == "p.a: needs `b`");

  const std::vector<Rule> by_kind{where("kind", {"red", "blue"}, exactly_one("a", "b")),
                                  only("kind", {"red", "blue"}, "a", "b"),
                                  only("kind", {"green"}, "c"),
                                  only("kind", {"green", "red"}, "d")};
  CHECK(faults(by_kind, {"a"}, "red") == "");
  CHECK(faults(by_kind, {"d", "b"}, "red") == "");
  CHECK(faults(by_kind, {}, "green") == "");
  CHECK(faults(by_kind, {}, "blue") == "p: a key is missing; give exactly one of a, b");
  CHECK(faults(by_kind, {"c", "a"}, "green") ==
        "p.a: is for kind red, blue, not for green; kind green has c, d");
}

TEST_CASE("a number or a name is read as what it looks like") {
  const auto read = [](const char* text, bool quoted = false) -> NumberOrName {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    node.quoted = quoted;
    return read_detail::read_number_or_name(node, "at", unit::m);
  };
  const auto fault = [&](const char* text, bool quoted = false) -> std::string {
    try {
      read(text, quoted);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(read("3") == NumberOrName(3.0));
  CHECK(!read("3").with_unit);
  CHECK(read("3 mm") == NumberOrName(0.003));
  CHECK(read("3 mm").with_unit);
  CHECK(read("-.5").number == -0.5);
  CHECK(read("bob").name == "bob");
  CHECK(read("bob 1").name == "bob 1");
  CHECK(read("3", true).name == "3");
  CHECK(fault("no") == "at: 'no', a YAML 1.1 boolean, is not a number in m or a name");
  CHECK(fault("nan") ==
        "at: 'nan' is not a finite number; a number in m, or with a unit: m, cm, mm, um, km");
  CHECK(
      fault("3 kg") ==
      "at: 'kg' is a unit of another dimension; a number in m, or with a unit: m, cm, mm, um, km");
  CHECK(fault("", true) == "at: the text '' is not a number in m or a name");
  CHECK(to_json(NumberOrName(0.5), 0) == "0.5");
  CHECK(to_json(NumberOrName(std::string("tip")), 0) == "\"tip\"");
}

TEST_CASE("a choice told apart by shape takes the first alternative that fits") {
  using Shape = std::variant<std::vector<std::vector<double>>, std::vector<double>, std::string>;
  const auto scalar = [](const char* text) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    return node;
  };
  const auto list = [](std::vector<Node> items) {
    Node node;
    node.kind = Node::Kind::list;
    node.items = std::move(items);
    return node;
  };
  const auto read = [](const Node& node) {
    Places places;
    Shape shape;
    read_detail::read_value(node, "m", unit::one, places, shape);
    return shape;
  };
  CHECK(read(list({list({scalar("1"), scalar("2")}), list({scalar("3"), scalar("4")})})) ==
        Shape(std::vector<std::vector<double>>{{1, 2}, {3, 4}}));
  CHECK(read(list({scalar("1"), scalar("2")})) == Shape(std::vector<double>{1, 2}));
  CHECK(read(scalar("m.mtx")) == Shape(std::string("m.mtx")));
  CHECK_THROWS_WITH_AS(
      read(scalar("3")),
      "m: '3' is not a list; written as [a, b, c], or as lines that start with `- `", SceneError);
}

TEST_CASE("the resolved form spells out defaults and the kind of a choice") {
  Lamp lamp;
  lamp.light = lamp::Tube{1.5};
  lamp.colour = lamp::Colour::red;
  lamp.label = "a \"b\"\n\\ \u00e9 \x01";
  CHECK(to_json(lamp, 0) ==
        R"({"light": {"kind": "tube", "length": 1.5}, "colour": "red", "on": true, "count": 1, )"
        R"("place": [1, 2], "label": "a \"b\"\n\\ é \u0001"})");
}

TEST_CASE("the documentation tree knows type, unit, range and default of every option") {
  const OptionDoc doc = document<Lamp>();
  REQUIRE(doc.children.size() == 9);
  CHECK(doc.rules.size() == 2);
  const OptionDoc& light = doc.children[0];
  CHECK(light.type == OptionDoc::Type::choice);
  CHECK(light.default_text == "\"bulb\"");
  CHECK(light.children[1].key == "tube");
  CHECK(light.children[1].children[0].required);
  CHECK(doc.children[1].names == std::vector<std::string>{"red", "green", "crimson"});
  CHECK(doc.children[1].default_text == "\"green\"");
  CHECK(doc.children[4].dimension == unit::rad);
  CHECK(doc.children[4].range.high == 1.0);
  CHECK(doc.children[4].default_text == "");
  CHECK(doc.children[6].count == 2);
  CHECK(doc.children[6].default_text == "[1, 2]");
}

TEST_CASE("a choice told apart by kind may be written as a plain name if nothing is required") {
  Places places;
  const auto scalar = [](const char* text) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = text;
    return node;
  };
  const auto lamp_with = [&](Node light) {
    Node node;
    node.kind = Node::Kind::map;
    node.keys.push_back({"light", {}});
    node.items.push_back(std::move(light));
    return node;
  };
  Lamp lamp;
  lamp.light = lamp::Bulb{60.0};
  read_options(lamp_with(scalar("bulb")), lamp, places);
  CHECK(std::get<lamp::Bulb>(lamp.light).power == 40.0);
  CHECK_THROWS_WITH_AS(read_options(lamp_with(scalar("tube")), lamp, places),
                       "light: `length` is missing: of the tube", SceneError);
  CHECK_THROWS_WITH_AS(read_options(lamp_with(scalar("tubo")), lamp, places),
                       "light: 'tubo' is not known here; did you mean `tube`? allowed: bulb, tube",
                       SceneError);
  CHECK(places.contains("light"));
}
