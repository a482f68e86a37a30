// Contact of bodies that deform, held by velocities: the same motion as by a matrix, and what a matrix cannot do.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "run_scene.h"
#include "saltus/results/checkpoint.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string head(int steps, const std::string& step = "1 ms") {
  return "saltus: 1\ntime: {end: " + std::to_string(steps) + " ms, step: " + step +
         "}\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";
}

struct Block {
  std::string name, kind = "tet4", cells = "[3, 3, 3]", size = "[0.1, 0.1, 0.1]",
                    position = "[0, 0, 0]", velocity = "[0.3, 0.1, -0.2]", more, young = "0.5 MPa",
                    scheme = "def-lim";
};
std::string block(const Block& b) {
  return "  - {name: " + b.name + ", kind: fem, scheme: " + b.scheme +
         ", fem: {position: " + b.position + ", velocity: " + b.velocity +
         ", mesh: {box: {kind: " + b.kind + ", cells: " + b.cells + ", size: " + b.size +
         "}}, material: {law: neo_hooke, young: " + b.young + ", poisson: 0.3, density: 1000}" +
         b.more + "}}\n";
}
std::string law(double mu) {
  return "surfaces: [{law: {kind: newton-impact, friction: " + std::to_string(mu) + "}}]\n";
}
const std::string kCg = ", solver: {kind: cg, tolerance: 1.0e-12}",
                  kDirect = ", solver: {kind: direct}";

/// Largest difference of the positions, over their largest displacement.
double off(const Simulation& a, const Simulation& b) {
  double difference = 0.0, size = 0.0;
  for (std::size_t g = 0; g < a.state().groups.size(); ++g) {
    const Vector &q = a.state().groups[g].q, &r = b.state().groups[g].q;
    if (q.size() == 0) continue;
    difference = std::max(difference, (q - r).cwiseAbs().maxCoeff());
    size = std::max(size, r.cwiseAbs().maxCoeff());
  }
  return difference / size;
}

Vector3 momentum_of_nodes(const Simulation& sim, std::size_t first) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t g = first; g < sim.state().groups.size(); ++g) {
    const Vector& v = sim.state().groups[g].v;
    Vector Mv(v.size());
    const Dynamics& body = *sim.model().groups()[g].dynamics;
    body.multiply({1.0, 0.0, 0.0}, 0.0, sim.state().groups[g].q, v, v, Mv);
    for (Eigen::Index i = 0; i < v.size(); i += 3) sum += Mv.segment<3>(i);
  }
  return sum;
}

}  // namespace

TEST_CASE("a block on the floor moves the same by conjugate gradients as by a factor") {
  for (const char* kind : {"tet4", "hex8", "tet10"})
    for (const double mu : {0.0, 0.3, 0.9}) {
      CAPTURE(kind);
      CAPTURE(mu);
      const auto text = [&](const std::string& solver) {
        return head(25) + block({.name = "b", .kind = kind, .more = solver}) + law(mu) +
               "solver: {tolerance: 1.0e-10}\n";
      };
      const Shown direct = run_text(text(kDirect)), iterated = run_text(text(kCg));
      REQUIRE(direct.converged);
      REQUIRE(iterated.converged);
      CHECK(iterated.contact_steps == direct.contact_steps);
      CHECK(iterated.contact_steps > 5);
      CHECK(iterated.worst_residual <= 1e-10);
      CHECK(iterated.worst_after < 1e-8);
      CHECK(iterated.worst_unexplained < 1e-3);
      CHECK(off(iterated.sim, direct.sim) < 1e-6);
    }
}

TEST_CASE("bodies of other kinds and schemes meet a block that iterates as one that has a factor") {
  const std::string ball =
      "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 30 mm}}, density: 3000, "
      "position: [0.05, 0.05, 0.131], velocity: [0.2, 0, -0.5]}}\n";
  const std::string box =
      "  - {name: box, kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [0.05, 0.05, "
      "0.05]}}, material: {law: st_venant_kirchhoff, young: 1 MPa, poisson: 0.2, density: 2000}, "
      "position: [0.05, 0.05, 0.126], velocity: [0.1, 0, -0.4]}}\n";
  const std::string other = block({.name = "c",
                                   .kind = "hex8",
                                   .cells = "[2, 2, 2]",
                                   .size = "[0.06, 0.06, 0.06]",
                                   .position = "[0.02, 0.02, 0.101]",
                                   .velocity = "[0, 0, -0.4]",
                                   .more = kDirect});
  for (const std::string& second : {ball, box, other})
    for (const char* scheme : {"def-lim", "moreau-jean"}) {
      CAPTURE(second);
      CAPTURE(scheme);
      const auto text = [&](const std::string& solver) {
        return head(12) +
               block({.name = "b", .velocity = "[0, 0, 0]", .more = solver, .scheme = scheme}) +
               second + law(0.4) + "solver: {tolerance: 1.0e-10}\n";
      };
      const Shown direct = run_text(text(kDirect)), iterated = run_text(text(kCg));
      REQUIRE(direct.converged);
      REQUIRE(iterated.converged);
      CHECK(iterated.contact_steps > 5);
      CHECK(off(iterated.sim, direct.sim) < 1e-5);
    }
}

TEST_CASE("blocks that iterate are solved where they are stiff, heavy on light, or rub hard") {
  struct Row {
    const char *name, *young, *above, *below;
    double mu;
  };
  for (const Row& row : {Row{"steel", "200 GPa", "7800", "7800", 0.3},
                         Row{"light on heavy", "50 MPa", "10", "1.0e+6", 0.3},
                         Row{"rubs hard", "0.5 MPa", "1000", "1000", 2.0}}) {
    CAPTURE(row.name);
    const auto text = [&](const char* kind) {
      const auto one = [&](const std::string& name, const char* z, const char* v,
                           const char* density) {
        return "  - {name: " + name + ", kind: fem, fem: {position: [0, 0, " + z +
               "], velocity: " + v +
               ", mesh: {box: {kind: tet4, cells: [3, 3, 3], size: [0.1, 0.1, 0.1]}}, "
               "material: {law: neo_hooke, young: " +
               row.young + ", poisson: 0.3, density: " + density + "}, solver: {kind: " + kind +
               "}}}\n";
      };
      return head(18) + one("a", "0", "[0, 0, 0]", row.below) +
             one("b", "0.1", "[0.2, 0, -0.2]", row.above) + law(row.mu);
    };
    const Shown direct = run_text(text("direct")), iterated = run_text(text("cg"));
    REQUIRE(direct.converged);
    REQUIRE(iterated.converged);
    CHECK(iterated.worst_residual <= 1e-9);
    CHECK(iterated.worst_after < 1e-6);
    CHECK(off(iterated.sim, direct.sim) < 1e-3);
  }
}

TEST_CASE("every solver solves the contacts of a block that iterates") {
  const auto text = [&](const std::string& solver, const std::string& linear) {
    return head(8) + block({.name = "b", .cells = "[2, 2, 2]", .more = linear}) + law(0.4) +
           "solver: {" + solver + "}\n";
  };
  const Shown direct = run_text(text("tolerance: 1.0e-9", kDirect));
  REQUIRE(direct.converged);
  for (const char* kind :
       {"auto", "gauss-seidel", "proximal-newton", "interior-point", "body-gauss-seidel"}) {
    CAPTURE(kind);
    const Shown shown = run_text(text("tolerance: 1.0e-9, kind: " + std::string(kind), kCg));
    CHECK(shown.converged);
    CHECK(shown.contact_steps == direct.contact_steps);
    CHECK(off(shown.sim, direct.sim) < 1e-6);
  }
  // closer than the linear solver: W is a matrix then
  const Shown close = run_text(text("tolerance: 1.0e-12", ", solver: {kind: cg}"));
  CHECK(close.converged);
  CHECK(off(close.sim, direct.sim) < 1e-6);
}

TEST_CASE("contacts of soft bodies have the same bits on any number of threads") {
  std::string stack;
  for (int k = 0; k < 8; ++k)
    stack += block({.name = "s" + std::to_string(k),
                    .kind = "hex8",
                    .cells = "[1, 1, 1]",
                    .position = "[" + std::to_string(0.1 * (k % 2)) + ", " +
                                std::to_string(0.1 * (k / 2 % 2)) + ", " +
                                std::to_string(0.1 * (k / 4)) + "]",
                    .velocity = "[0, 0, 0]"});
  for (const std::string& bodies :
       {block({.name = "b", .cells = "[8, 8, 8]", .more = kCg}), stack}) {
    const Model model = build(read_scene_text(head(5) + bodies + law(0.3), "t.yaml", {}));
    std::string first;
    for (const int threads : {1, 2, 3}) {
      Simulation sim(model);
      sim.use_threads(threads);
      for (int k = 0; k < 5; ++k) REQUIRE(sim.advance().converged);
      const std::string hash = state_hash(sim.state());
      if (first.empty()) first = hash;
      CHECK(hash == first);
    }
  }
}

TEST_CASE("laws that are forces act on a block that iterates as on one that has a factor") {
  for (const char* more : {"compliant, stiffness: 2.0e+4, damping: 3",
                           "hertz, young: 2 MPa, poisson: 0.3, radius: 5 mm",
                           "felt, stiffness: 1.0e+6, exponent: 2.0, damping: 100.0"}) {
    CAPTURE(more);
    const auto text = [&](const std::string& solver) {
      return head(15) + block({.name = "b", .more = solver}) + "surfaces: [{law: {kind: " + more +
             "}}]\nsolver: {tolerance: 1.0e-10}\n";
    };
    const Shown direct = run_text(text(kDirect)), iterated = run_text(text(kCg));
    REQUIRE(direct.converged);
    REQUIRE(iterated.converged);
    CHECK(iterated.contact_steps > 5);
    CHECK(off(iterated.sim, direct.sim) < 1e-6);
  }
}

TEST_CASE(
    "stacked soft blocks, which contacts hold many times over, fall together and keep momentum") {
  std::string bodies;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        const auto at = [](int n) { return std::to_string(0.1 * n); };
        bodies += block({.name = "b" + std::to_string(9 * i + 3 * j + k),
                         .kind = "hex8",
                         .cells = "[1, 1, 1]",
                         .position = "[" + at(i) + ", " + at(j) + ", " + at(k) + "]",
                         .velocity = i == 2 ? "[-0.2, 0, 0]" : "[0, 0, 0]"});
      }
  const Shown shown = run_text(head(20) + bodies + law(0.3));
  CHECK(shown.converged);
  CHECK(shown.steps == 20);
  CHECK(shown.worst_residual <= 1e-3);
  CHECK(shown.smallest_gap > -2e-4);  // of blocks of 0.1 m that close by 0.2 mm a step
  CHECK(shown.worst_gain < 1e-6);
  CHECK(shown.worst_unexplained < 1e-2);
  // without gravity and floor: momentum stays
  std::string free = "saltus: 1\ntime: {end: 20 ms, step: 1 ms}\nbodies:\n" + bodies + law(0.3);
  Simulation before(build(read_scene_text(free, "free.yaml", {})));
  const Vector3 p = momentum_of_nodes(before, 0);
  const Shown after = run_text(free);
  CHECK(after.converged);
  CHECK(after.contact_steps > 10);
  CHECK((momentum_of_nodes(after.sim, 0) - p).norm() < 1e-12 * p.norm());
}

TEST_CASE("walls of soft and of pseudo-rigid bricks run by default") {
  for (const bool soft : {true, false}) {
    CAPTURE(soft);
    std::string bodies;
    for (int course = 0; course < 4; ++course)
      for (int i = 0; i < 6; ++i) {
        const std::string name = "b" + std::to_string(6 * course + i);
        const double x = 0.2 * i + (course % 2 == 1 ? 0.1 : 0.0), z = 0.1 * course;
        if (soft)
          bodies += block({.name = name,
                           .kind = "hex8",
                           .cells = "[2, 1, 1]",
                           .size = "[0.2, 0.1, 0.1]",
                           .position = "[" + std::to_string(x) + ", 0, " + std::to_string(z) + "]",
                           .velocity = "[0, 0, 0]",
                           .young = "20 MPa"});
        else
          bodies += "  - {name: " + name + ", kind: pseudo-rigid, pseudo_rigid: {position: [" +
                    std::to_string(x + 0.1) + ", 0.05, " + std::to_string(z + 0.05) +
                    "], shape: {box: {size: [0.2, 0.1, 0.1]}}, material: {law: "
                    "st_venant_kirchhoff, young: 20 MPa, poisson: 0.2, density: 2000}}}\n";
      }
    const Shown shown = run_text(head(30) + bodies + law(0.6));
    CHECK(shown.converged);
    CHECK(shown.steps == 30);
    CHECK(shown.contact_steps == 30);
    CHECK(shown.worst_residual <= 1e-3);
    CHECK(shown.smallest_gap > -2e-4);  // bricks of 0.1 m that swing under their weight
  }
}

TEST_CASE("W of explicit schemes is found by the nodes that contacts share, with the same motion") {
  // 325 nodes on the floor, and 100 of them in a run whose W is a matrix
  for (const bool coarse : {true, false}) {
    const std::string cells = coarse ? "[4, 4, 2]" : "[9, 9, 2]";
    const auto text = [&](const char* scheme) {
      return "saltus: 1\ntime: {end: 4 ms, step: 0.1 ms}\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n" +
             block({.name = "b", .cells = cells, .scheme = scheme}) + law(0.4) +
             "solver: {tolerance: 1.0e-12}\n";
    };
    const Shown shown = run_text(text("def-exp"));
    CHECK(shown.converged);
    CHECK(shown.contact_steps > 20);
    CHECK(shown.worst_after < 1e-11);
    // of the same limit as an implicit scheme: the steps are a twentieth of the limit
    const Shown implicit = run_text(text("def-lim"));
    CHECK(off(shown.sim, implicit.sim) < 0.02);
  }
}

TEST_CASE("the linear solver that a large mesh takes by default moves it as a factor does") {
  const auto text = [&](const std::string& solver, const char* young) {
    return head(4) + block({.name = "b", .cells = "[12, 12, 8]", .more = solver, .young = young}) +
           law(0.3);
  };
  for (const char* young : {"0.5 MPa", "200 GPa"}) {
    CAPTURE(young);
    const Shown chosen = run_text(text("", young)), direct = run_text(text(kDirect, young));
    REQUIRE(chosen.converged);
    CHECK(off(chosen.sim, direct.sim) < 1e-6);
    // soft: it iterates; steel at this step: a factor costs less
    CHECK((state_hash(chosen.sim.state()) == state_hash(direct.sim.state())) ==
          (std::string(young) == "200 GPa"));
  }
}
