// Large piles: results do not depend on the number of threads.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr int kSide = 20;  // 20 x 20 x 20 spheres

/// A cubic lattice, a little irregular and pressed together by 2e-4 of the diameter, on a floor between four walls.
Model pile() {
  RigidScene scene;
  scene.solver = "body-gauss-seidel";
  scene.limits = {1e-6, 30};
  scene.on_failure = OnFailure::accept;
  const double r = 0.05, d = 1.9996 * r, width = 2.0 * r * kSide + 0.001;
  for (int k = 0; k < kSide; ++k)
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        RigidThing ball{Sphere{r}};
        ball.x = Vector3(d * i + 5e-5 * ((7 * j + 3 * k) % 5), d * j + 4e-5 * ((5 * i + k) % 7),
                         r + d * k);
        ball.v = Vector3(0.1 * ((i + k) % 3 - 1), 0.1 * ((j + 2 * k) % 3 - 1), -0.1);
        scene.add(ball);
      }
  scene.fix(Plane{});
  for (int side = 0; side < 4; ++side) {
    Pose wall;
    wall.R = (Eigen::AngleAxisd(0.5 * M_PI * side, Vector3::UnitZ()) *
              Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitY()))
                 .toRotationMatrix();
    const double middle = 0.5 * width - r;
    wall.x = Vector3(middle, middle, 0.0) - 0.5 * width * wall.R.col(2);
    scene.fix(Plane{}, wall);
  }
  return scene.model(rig_mid(), 1e-3, newton_law(0.0, 0.4));
}

struct End {
  Vector q, v;
  std::vector<ContactMemory> contacts;
  int most = 0;
};

End run(const Model& model, int threads, int steps) {
  Simulation sim(model);
  tbb::task_arena arena(threads);
  End end;
  arena.execute([&] {
    for (int n = 0; n < steps; ++n) end.most = std::max(end.most, sim.advance().contacts);
  });
  end.q = sim.state().groups[0].q;
  end.v = sim.state().groups[0].v;
  end.contacts = sim.state().contacts;
  return end;
}

bool equal_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace

TEST_CASE("8000 spheres in contact are the same bit for bit on 1, 2, 3 and 7 threads") {
  const tbb::global_control seven(tbb::global_control::max_allowed_parallelism, 7);
  const Model model = pile();
  const End one = run(model, 1, 3);
  MESSAGE(fmt::format("{} contacts", one.most));
  CHECK(one.most > 10'000);
  CHECK(one.q.allFinite());
  CHECK(one.v.allFinite());
  for (const int threads : {2, 3, 7}) {
    CAPTURE(threads);
    const End other = run(model, threads, 3);
    CHECK(equal_bits(one.q, other.q));
    CHECK(equal_bits(one.v, other.v));
    REQUIRE(one.contacts.size() == other.contacts.size());
    CHECK(std::equal(one.contacts.begin(), one.contacts.end(), other.contacts.begin(),
                     [](const ContactMemory& c, const ContactMemory& d) {
                       return c.key == d.key && c.impulse == d.impulse;
                     }));
  }
}
