#include <doctest/doctest.h>

#include <array>

#include "saltus/base/suggest.h"

using namespace saltus;

TEST_CASE("the distance counts inserted, deleted, replaced and swapped letters") {
  CHECK(edit_distance("theta", "theta") == 0);
  CHECK(edit_distance("thta", "theta") == 1);
  CHECK(edit_distance("thetta", "theta") == 1);
  CHECK(edit_distance("thete", "theta") == 1);
  CHECK(edit_distance("thtea", "theta") == 1);
  CHECK(edit_distance("", "theta") == 5);
  CHECK(edit_distance("theta", "") == 5);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("Moreau_Jean", "moreau-jean") == 0);
}

TEST_CASE("a slip finds its name and a foreign word finds none") {
  constexpr std::array<std::string_view, 4> names{"length", "tension", "modes", "at"};
  CHECK(nearest_name("lenght", names) == "length");
  CHECK(nearest_name("Tension", names) == "tension");
  CHECK(nearest_name("mode", names) == "modes");
  CHECK(nearest_name("friction", names) == "");
  CHECK(nearest_name("x", names) == "");
  CHECK(nearest_name(std::string(1000, 'a'), names) == "");
}

TEST_CASE("a hint holds the nearest name and all allowed ones") {
  constexpr std::array<std::string_view, 2> names{"stop", "halve"};
  CHECK(did_you_mean("halv", names) == "did you mean `halve`? allowed: stop, halve");
  CHECK(did_you_mean("continue", names) == "allowed: stop, halve");
  CHECK(did_you_mean("continue", {}) == "");
}
