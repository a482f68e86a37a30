// Performance profiles.
#include "saltus/study/performance_profile.h"

#include <doctest/doctest.h>

#include <limits>

#include "saltus/base/error.h"

using saltus::PerformanceProfile;

namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

/// a is best twice and fails once, b is best once, and one problem nobody solves.
PerformanceProfile profile() {
  PerformanceProfile made({"a", "b"});
  made.add({1.0, 4.0});
  made.add({2.0, 3.0});
  made.add({kFailed, 5.0});
  made.add({kFailed, kFailed});
  return made;
}

}  // namespace

TEST_CASE("a profile counts the problems solved within a factor of the best time") {
  const PerformanceProfile p = profile();
  CHECK(p.factors() == std::vector<double>{1.0, 1.5, 4.0});
  CHECK(p.fraction(0, 1.0) == 0.5);
  CHECK(p.fraction(0, 100.0) == 0.5);
  CHECK(p.fraction(1, 1.0) == 0.25);
  CHECK(p.fraction(1, 1.5) == 0.5);
  CHECK(p.fraction(1, 3.9) == 0.5);
  CHECK(p.fraction(1, 4.0) == 0.75);
}

TEST_CASE("a profile does not change with the unit of time") {
  PerformanceProfile p({"a", "b"});
  p.add({1e-3, 4e-3});
  CHECK(p.factors() == std::vector<double>{1.0, 4.0});
}

TEST_CASE("a profile is written as a table and as a picture on its own") {
  CHECK(profile().csv() == "tau,a,b\n1,0.5,0.25\n1.5,0.5,0.5\n4,0.5,0.75\n");
  const std::string svg = profile().svg();
  CHECK(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=") != std::string::npos);
  CHECK(svg.find("<style>") != std::string::npos);
  CHECK(svg.find(">a</text>") != std::string::npos);
  CHECK(PerformanceProfile({"a"}).svg().find("</svg>") != std::string::npos);
}

TEST_CASE("a profile wants one positive time for each solver") {
  PerformanceProfile p({"a", "b"});
  CHECK_THROWS_AS(p.add({1.0}), saltus::UsageError);
  CHECK_THROWS_AS(p.add({1.0, 0.0}), saltus::UsageError);
  CHECK_THROWS_AS(p.add({1.0, std::numeric_limits<double>::quiet_NaN()}), saltus::UsageError);
}
