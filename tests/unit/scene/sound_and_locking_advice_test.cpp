// Warnings of a scene about elements that lock and schemes that sound flat: there where they are true, and nowhere else.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/advice/detune_advice.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/schemes/registry.h"

namespace saltus {
namespace {

std::string warnings_with(const std::string& word, const std::string& text,
                          const std::vector<std::string>& set = {}) {
  std::string found;
  const Model model = build(read_scene_text(text, "test.yaml", set));
  for (const std::string& one : model.warnings())
    if (one.find(word) != std::string::npos) found += one + "\n";
  return found;
}

const std::string kStrip = R"(
saltus: 1
time: {end: 10 s, step: 1 s}
bodies:
  - name: strip
    kind: fem
    scheme: euler-implicit
    fem:
      mesh: {box: {kind: hex8, cells: [14, 2, 2], size: [0.7, 0.06, 0.06]}}
      material: {law: neo_hooke, young: 2 MPa, poisson: 0.25, density: 1100}
      fixed: [{set: x0}]
)";

std::string lock(const std::vector<std::string>& set = {}) {
  return warnings_with(" lock: ", kStrip, set);
}

const std::string kString = R"(
saltus: 1
time: {end: 0.1 s, rate: 44.1 kHz}
bodies:
  - name: wire
    kind: modal
    string: {length: 0.9 m, tension: 300 N, linear_density: 4e-3 kg/m, modes: 40, damping: {constant: 1}}
    scheme: moreau-jean
    pluck: {at: 0.2 m, height: 1 mm}
outputs: [{probe: wire, name: bridge, at: 0.02 m, quantity: velocity}]
)";

std::string flat(const std::vector<std::string>& set = {}) {
  return warnings_with(" detunes ", kString, set);
}

}  // namespace

TEST_CASE(
    "slender bodies of linear elements are said to lock in bending, with the element to take") {
  const std::string mesh = "bodies[0].fem.mesh.box.";
  CHECK(lock().find("bodies[0].fem.mesh: the hex8 elements of 'strip' lock: in bending they are up "
                    "to about 3") == 0);
  CHECK(lock().find(
            "; use hex20, or shorter elements and more of them across the thickness of 0.06 m") !=
        std::string::npos);
  CHECK(lock({mesh + "kind=tet4"}).find("use tet10") != std::string::npos);
  CHECK(lock({mesh + "kind=hex20"}).empty());
  CHECK(lock({mesh + "cells=[60, 4, 4]"}).empty());
  CHECK(lock({mesh + "size=[0.2, 0.15, 0.15]"}).empty());  // a block
  CHECK(lock({mesh + "cells=[28, 2, 2]", "bodies[0].fem.fixed=[]"})
            .empty());  // flies, and hardly bends
  CHECK_FALSE(lock({"bodies[0].fem.modes={count: 4, keep: [{set: x1}]}",
                    "bodies[0].fem.material.law=linear"})
                  .empty());
}

TEST_CASE("poisson above 0.4 is said to lock bodies of any shape, but in plane stress") {
  const std::string mesh = "bodies[0].fem.mesh.box.", nu = "bodies[0].fem.material.poisson=";
  const std::vector<std::string> block{mesh + "size=[0.2, 0.15, 0.15]", mesh + "cells=[4, 3, 3]"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), block.begin(), block.end());
    return lock(more);
  };
  CHECK(with({nu + "0.39"}).empty());
  CHECK(
      with({nu + "0.47"}).find("where the strain varies, at poisson 0.47, they are up to about ") !=
      std::string::npos);
  CHECK(with({nu + "0.4985"}).find("; use hex20, which lock less, and refine") !=
        std::string::npos);
  CHECK(with({nu + "0.47", mesh + "kind=hex20"}).empty());
  const std::vector<std::string> plane{mesh + "kind=quad4", mesh + "cells=[6, 6]",
                                       mesh + "size=[0.3, 0.3]", nu + "0.48"};
  CHECK_FALSE(lock(plane).empty());
  std::vector<std::string> stress = plane;
  stress.emplace_back("bodies[0].fem.plane=stress");
  CHECK(lock(stress).empty());
}

TEST_CASE("a scheme that detunes a body that sounds says so, with a rate that does not") {
  const std::string told = flat();
  CHECK(told.find("bodies[0].scheme: moreau-jean detunes 'wire' at this step: mode ") == 0);
  CHECK(told.find(" cents flat") != std::string::npos);
  const auto at = told.find("rate of at least ");
  REQUIRE(at != std::string::npos);
  const int rate = std::stoi(told.substr(at + 17));
  CHECK(flat({fmt::format("time.rate={} kHz", rate)}).empty());
  CHECK_FALSE(flat({fmt::format("time.rate={} kHz", 9 * rate / 10)}).empty());
  CHECK(flat({"bodies[0].scheme=modal-exact"}).empty());
  CHECK(flat({"outputs=[]"}).empty());                                 // nobody listens
  CHECK(flat({"bodies[0].string.damping={constant: 4000}"}).empty());  // nothing rings
  CHECK(flat({"bodies[0].scheme=central-difference"}).find(" sharp") != std::string::npos);
}

TEST_CASE("frequencies of modes under a scheme are those of its closed form") {
  ModalData modes;
  modes.mass = Vector::Constant(3, 0.2);
  modes.omega = Vector{{300.0, 4000.0, 21000.0}};
  modes.sigma = Vector{{0.0, 0.5, 0.0}};
  const double h = 1.0 / 48000.0;
  const auto theta = make_scheme(MoreauJeanOptions{});
  const auto exact = make_scheme(ModalExactOptions{});
  const Vector a = frequencies_of(modes, *theta, h), b = frequencies_of(modes, *exact, h);
  for (int j : {0, 1, 2}) {
    CHECK(a[j] == doctest::Approx(2.0 / h * std::atan(0.5 * h * modes.omega[j])).epsilon(1e-6));
    CHECK(b[j] == doctest::Approx(modes.omega[j]).epsilon(1e-6));
  }
}

}  // namespace saltus
