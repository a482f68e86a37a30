#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "saltus/contact/colouring.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// One row a contact on bodies of one velocity; `pairs` as given, -1 for the world.
BodyRows contacts(int bodies, const std::vector<std::pair<int, int>>& pairs) {
  BodyRows rows;
  rows.width = 1;
  rows.inverse.assign(static_cast<std::size_t>(bodies), 1.0);
  for (const auto& [first, second] : pairs) {
    for (const int b : {first, second})
      if (b >= 0) rows.touch(b);
    rows.value.push_back(1.0);
    rows.close(1);
  }
  return rows;
}

std::vector<std::pair<int, int>> random_pairs(int bodies, int count) {
  std::mt19937 random(11);
  std::vector<std::pair<int, int>> pairs;
  for (int c = 0; c < count; ++c) {
    const int first = static_cast<int>(random() % static_cast<unsigned>(bodies));
    pairs.emplace_back(first, c % 5 == 0 ? -1 : (first + 1 + c % (bodies - 1)) % bodies);
  }
  return pairs;
}

std::vector<std::vector<int>> colours_of(const Colouring& colouring) {
  std::vector<std::vector<int>> out;
  for (int k = 0; k < colouring.colours(); ++k)
    out.emplace_back(colouring.colour(k).begin(), colouring.colour(k).end());
  return out;
}

TEST_CASE("contacts of one colour share no body, and every contact has its colour") {
  const BodyRows rows = contacts(60, random_pairs(60, 400));
  Colouring colouring;
  colouring.assign(rows);
  std::vector<int> seen(colouring.rest().begin(), colouring.rest().end());
  CHECK(seen.empty());
  for (int k = 0; k < colouring.colours(); ++k) {
    std::vector<int> bodies;
    for (const int c : colouring.colour(k)) {
      const auto at = static_cast<std::size_t>(c);
      seen.push_back(c);
      bodies.insert(bodies.end(), rows.body.begin() + rows.offset[at],
                    rows.body.begin() + rows.offset[at + 1]);
    }
    std::sort(bodies.begin(), bodies.end());
    CHECK(std::adjacent_find(bodies.begin(), bodies.end()) == bodies.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int> all(400);
  std::iota(all.begin(), all.end(), 0);
  CHECK(seen == all);
}

TEST_CASE("colours depend on the contacts, not on the names of the bodies or on what was before") {
  auto pairs = random_pairs(60, 400);
  Colouring colouring;
  colouring.assign(contacts(60, pairs));
  const auto before = colours_of(colouring);
  for (auto& [first, second] : pairs) {
    first = 59 - first;
    if (second >= 0) second = 59 - second;
  }
  colouring.assign(contacts(60, random_pairs(60, 70)));
  colouring.assign(contacts(60, pairs));
  CHECK(colours_of(colouring) == before);
}

TEST_CASE("a body of a hundred contacts exhausts the colours, one that is held needs one colour") {
  std::vector<std::pair<int, int>> pairs;
  for (int b = 1; b <= 100; ++b) pairs.emplace_back(0, b);
  BodyRows rows = contacts(101, pairs);
  Colouring colouring;
  colouring.assign(rows);
  CHECK(colouring.colours() == 64);
  REQUIRE(colouring.rest().size() == 36);
  CHECK(colouring.rest().front() == 64);
  rows.inverse[0] = 0.0;
  colouring.assign(rows);
  CHECK(colouring.held(0));
  CHECK(colouring.colours() == 1);
  CHECK(colouring.rest().empty());
}

}  // namespace
