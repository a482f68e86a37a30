// Event-driven integration of bodies whose slip turns on a plane, whatever the interval that it is asked for.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

struct CurvedSlide {
  double mu, pull;  ///< [1], acceleration along x [m/s^2]
  double u0, w0;    ///< velocity at the start, along x and y [m/s]
  double end;       ///< [s], before the slip ends
  double u, w;      ///< velocity there, v' = a - mu g v/|v| by an own integration to 1e-14
};
constexpr CurvedSlide kSlides[] = {{0.3, 2.0, 0.0, 0.8, 0.3, 0.1833047063310, 0.0806867611090},
                                   {0.45, 1.1, 0.2, -1.3, 0.27, 0.1236028589899, -0.1776540177447}};

std::string slide(const CurvedSlide& x, const char* body, double step) {
  return fmt::format(
      "saltus: 1\ntime: {{end: {}, step: {}, mode: events, tolerance: 1e-11}}\ngravity: [{}, 0, "
      "-9.81]\nbodies:\n{}\n",
      x.end, step, x.pull, fmt::format(fmt::runtime(body), x.u0, x.w0, x.mu));
}
constexpr const char *kParticle =
                         "  - {{name: p, kind: particles, particles: {{mass: [2], positions: [[0, "
                         "0, 0]], velocities: [[{}, {}, 0]]}}}}\n"
                         "contacts:\n  - {{on: p, against: {{plane: {{}}}}, law: {{kind: "
                         "newton-impact, friction: {}}}}}",
                     *kBlock =
                         "  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: "
                         "true}}}}\n"
                         "  - {{name: ball, kind: rigid, rigid: {{shape: {{sphere: {{radius: "
                         "0.1}}}}, mass: 2, position: [0, 0, 0.1], velocity: [{}, {}, 0], locked: "
                         "[rx, ry, rz]}}}}\n"
                         "surfaces: [{{law: {{kind: newton-impact, friction: {}}}}}]";

}  // namespace

TEST_CASE("a slip that turns is integrated to its tolerance in intervals of any length") {
  for (const CurvedSlide& x : kSlides)
    for (const char* body : {kParticle, kBlock})
      for (const double step : {0.01, 0.03, x.end}) {
        CAPTURE(x.mu);
        CAPTURE(step);
        const Shown s = run_text(slide(x, body, step));
        REQUIRE(s.converged);
        const Vector& v = s.sim.state().groups.back().v;
        CHECK(v[0] == doctest::Approx(x.u).epsilon(1e-9));
        CHECK(v[1] == doctest::Approx(x.w).epsilon(1e-9));
      }
}

}  // namespace saltus::test
