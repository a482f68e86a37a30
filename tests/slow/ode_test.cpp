// The narrow phase beside ODE 0.16 (double precision) on random pairs.
//
// ODE is exact for sphere with sphere, capsule and box, capsule with capsule, and for sphere, capsule and box with the
// plane. Its box with box prefers a face where the depth there is up to 5 % more than along the best pair of edges.
#include <doctest/doctest.h>

#include "tests/support/skip.h"
#include "tests/unit/detection/detection_samples.h"

#ifdef SALTUS_HAVE_ODE
#include <ode/ode.h>
#endif

namespace saltus::testing {
namespace {

#ifdef SALTUS_HAVE_ODE

constexpr int kPairs = 100000;

struct OdeGeom {
  dGeomID id;
  explicit OdeGeom(const Shape& shape) : id(make(shape)) {}
  OdeGeom(const OdeGeom&) = delete;
  OdeGeom& operator=(const OdeGeom&) = delete;
  ~OdeGeom() { dGeomDestroy(id); }

  static dGeomID make(const Shape& shape) {
    if (const auto* s = std::get_if<Sphere>(&shape)) return dCreateSphere(nullptr, s->radius);
    if (const auto* s = std::get_if<Capsule>(&shape))
      return dCreateCapsule(nullptr, s->radius, 2.0 * s->half_length);
    if (const auto* s = std::get_if<Cylinder>(&shape))
      return dCreateCylinder(nullptr, s->radius, 2.0 * s->half_length);
    if (const auto* s = std::get_if<Box>(&shape))
      return dCreateBox(nullptr, 2.0 * s->half.x(), 2.0 * s->half.y(), 2.0 * s->half.z());
    return dCreatePlane(nullptr, 0, 0, 1, 0);
  }
  void place(const Pose& P) const {
    if (dGeomGetClass(id) == dPlaneClass) {
      const Vector3 n = P.R.col(2);
      dGeomPlaneSetParams(id, n.x(), n.y(), n.z(), n.dot(P.x));
      return;
    }
    dGeomSetPosition(id, P.x.x(), P.x.y(), P.x.z());
    dMatrix3 R;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) R[4 * i + j] = P.R(i, j);
      R[4 * i + 3] = 0.0;
    }
    dGeomSetRotation(id, R);
  }
};

Shape random_shape(const std::string& name, Sampler& sample) {
  if (name == "plane") return Plane{};
  for (int k = 0; k < kConvexKinds; ++k)
    if (name == convex_name(k)) return random_convex(k, sample);
  return Sphere{};
}

struct Demand {
  std::string a, b;
  double exact;     ///< bound of |difference| of the depths [m]; 0: none
  double relative;  ///< ODE above ours by no more than this part, where `exact` is 0
};

TEST_CASE("no contact that ODE sees is missed, and depths agree as far as ODE is exact") {
  dInitODE2(0);
  for (const Demand& d : std::vector<Demand>{{"sphere", "sphere", 1e-10, 0},
                                             {"sphere", "capsule", 1e-10, 0},
                                             {"sphere", "box", 1e-10, 0},
                                             {"sphere", "plane", 1e-10, 0},
                                             {"capsule", "capsule", 1e-10, 0},
                                             {"capsule", "plane", 1e-10, 0},
                                             {"box", "plane", 1e-10, 0},
                                             {"cylinder", "plane", 1e-10, 0},
                                             {"sphere", "cylinder", 1e-10, 0},
                                             {"box", "box", 0, 0.051}}) {
    CAPTURE(d.a);
    CAPTURE(d.b);
    Sampler sample(static_cast<unsigned>(d.a.size() * 31 + d.b.size()));
    int missed = 0, unseen = 0, both = 0;
    double worst = 0.0, above = 0.0, below = 0.0;
    for (int shapes = 0; shapes < kPairs / 20; ++shapes) {
      const Shape a = random_shape(d.a, sample), b = random_shape(d.b, sample);
      const OdeGeom A(a), B(b);
      for (int k = 0; k < 20; ++k) {
        const Pose P = sample.pose(0.8), Q = sample.pose(0.8);
        A.place(P);
        B.place(Q);
        std::array<dContactGeom, 16> found{};
        const int count = dCollide(A.id, B.id, 16, found.data(), sizeof(dContactGeom));
        double theirs = -1.0;
        for (int i = 0; i < count; ++i)
          theirs = std::max(theirs, found[static_cast<std::size_t>(i)].depth);
        const auto points = contacts_of(a, P, b, Q, 0.0);
        const double ours = points.empty() ? -1.0 : -deepest(points).gap;
        if (theirs >= 1e-10 && points.empty()) ++missed;
        if (ours >= 1e-10 && count == 0) ++unseen;
        if (count == 0 || points.empty()) continue;
        ++both;
        worst = std::max(worst, std::abs(ours - theirs));
        above = std::max(above, ours - theirs);
        below = std::max(below, (theirs - ours) / std::max(ours, 1e-10));
      }
    }
    MESSAGE(d.a, "-", d.b, ": ", both, " contacts, largest difference ", worst,
            " m, ours above by ", above, " m, ODE above by ", 100.0 * below, " %, not seen by ODE ",
            unseen);
    CHECK(both > kPairs / 10);
    CHECK(missed == 0);
    CHECK(unseen == 0);
    CHECK(above <= 1e-10);
    if (d.exact > 0.0)
      CHECK(worst <= d.exact);
    else
      CHECK(below <= d.relative);
  }
  dCloseODE();
}

#else

TEST_CASE("no contact that ODE sees is missed, and depths agree as far as ODE is exact") {
  SALTUS_SKIP("ODE was not found when this was built");
}

#endif

}  // namespace
}  // namespace saltus::testing
