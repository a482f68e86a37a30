// A plate of finite elements reduced to its modes, struck by a rigid hammer: close to the whole mesh, and heard.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <numbers>
#include <vector>

#include "../support/contacts.h"
#include "saltus/bodies/particles.h"
#include "saltus/exchange/wav.h"
#include "saltus/fem/reduction.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double kRate = 44100.0, kMass = 0.02, kSpeed = 1.0;

/// 0.3 x 0.2 m of steel, 3 mm thick, two sides clamped, with the damping of a struck bar.
FemSystem plate(int along, int across) {
  FemSystem system;
  system.mesh =
      box_mesh({ElementKind::hex20, {along, across, 1}, Vector3(0.3, 0.2, 0.003), Vector3::Zero()});
  FemMaterial steel;
  steel.material.law = MaterialLaw::linear;
  steel.material.young = 210e9;
  steel.material.poisson = 0.3;
  steel.material.density = 7800.0;
  system.materials.push_back(steel);
  system.rayleigh = {8.0, 3e-8};
  for (const char* side : {"x0", "x1"})
    for (const Prescribed& p :
         fixed_nodes(system.mesh.node_sets.at(side), std::vector<int>{0, 1, 2}))
      system.prescribed.push_back(p);
  return system;
}

int node_at(const Mesh& mesh, const Vector3& place) {
  int node = 0;
  (mesh.nodes.colwise() - place).colwise().norm().minCoeff(&node);
  REQUIRE((mesh.nodes.col(node) - place).norm() < 1e-9);
  return node;
}

/// The hammer comes down on `struck`; velocity of `heard` along z over the run, and the report of the worst step.
struct Heard {
  std::vector<double> velocity;
  double unexplained = 0.0, impulse = 0.0, hammer = 0.0;
  int touching = 0;
};
Heard strike(const std::shared_ptr<const Dynamics>& body, const SchemeChoice& scheme,
             const PointRef& struck, const PointRef& heard, const Vector3& place, int steps) {
  const Vector still = Vector::Zero(body->positions());
  ModelParts parts = one_group({body, still, still}, scheme, 1.0 / kRate);
  ParticleSystem hammer;
  hammer.mass = Vector::Constant(1, kMass);
  parts.groups.push_back({"hammer", "particles", std::make_shared<Particles>(hammer),
                          make_scheme(SchemeChoice(MoreauJeanOptions{}))});
  GroupState state;
  state.q = place + Vector3(0.0, 0.0, 1e-5);
  state.v = Vector3(0.0, 0.0, -kSpeed);
  parts.initial.push_back(state);
  add_pair(parts, {1, {}}, {0, struck}, Vector3::UnitZ(), spring_law(2e9, 1.5));  // steel on steel
  const Model model(std::move(parts));
  Simulation sim(model);
  Heard out;
  PointRows J;
  body->point_rows(still, still, std::vector<PointRef>{heard}, J);
  for (int step = 0; step < steps; ++step) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    out.unexplained = std::max(out.unexplained, std::abs(report.unexplained));
    out.impulse += report.impulse;
    out.touching += report.contacts;
    const Vector v = velocity_of(sim);
    double w = 0.0;
    for (std::size_t k = 0; k < J.column.size(); ++k)
      for (int c = 0; c < J.width; ++c)
        w +=
            J.value[(3 * k + 2) * static_cast<std::size_t>(J.width) + static_cast<std::size_t>(c)] *
            v[J.column[k] + c];
    out.velocity.push_back(w);
  }
  out.hammer = velocity_of(sim, 1)[2];
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double off = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(off / size);
}

/// |sum x exp(-i omega t)| with a smooth window.
double amplitude(const std::vector<double>& x, double omega) {
  std::complex<double> sum = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(i);
    sum += x[i] * (1.0 - std::cos(2.0 * pi * (t + 0.5) / n)) * std::polar(1.0, -omega * t / kRate);
  }
  return std::abs(sum) / n;
}

}  // namespace

TEST_CASE("a reduced plate struck by a hammer moves like the whole mesh, closer with every mode") {
  const FemSystem system = plate(8, 6);
  const auto full = std::make_shared<Fem>(system);
  const Vector3 struck(0.1125, 0.1, 0.003), heard(0.225, 0.1, 0.003);
  const PointRef at = full->node_point(node_at(system.mesh, struck)),
                 ear = full->node_point(node_at(system.mesh, heard));
  const int steps = 200;
  const Heard exact = strike(full, MoreauJeanOptions{}, at, ear, struck, steps);
  CHECK(exact.touching > 3);
  double before = 1e9;
  for (const int modes : {10, 40, 160}) {
    ModalReduced small = reduce_to_modes(*full, Vector::Zero(full->positions()),
                                         {modes, {at, ear}, Vector3::UnitZ()});
    const PointRef x{0, 0, Vector3(small.place[0], 0.0, 0.0)},
        y{0, 0, Vector3(small.place[1], 0.0, 0.0)};
    const std::shared_ptr<const Dynamics> body = std::move(small.body);
    const Heard out = strike(body, MoreauJeanOptions{}, x, y, struck, steps);
    const double off = distance(out.velocity, exact.velocity);
    CAPTURE(modes);
    CAPTURE(off);
    CHECK(off < 0.5 * before);
    CHECK(out.unexplained < 1e-12 * 0.5 * kMass * kSpeed * kSpeed);
    CHECK(std::abs(kMass * (out.hammer + kSpeed) - out.impulse) < 1e-13 * kMass * kSpeed);
    before = off;
  }
  CHECK(before < 0.02);
}

TEST_CASE("the sound of a reduced plate has its frequencies, and goes into a file") {
  const FemSystem system = plate(24, 8);
  const Fem full(system);
  const Vector3 struck(0.1125, 0.1, 0.003), heard(0.225, 0.1, 0.003);
  ModalReduced small = reduce_to_modes(full, Vector::Zero(full.positions()),
                                       {40,
                                        {full.node_point(node_at(system.mesh, struck)),
                                         full.node_point(node_at(system.mesh, heard))},
                                        Vector3::UnitZ()});
  const Vector omega = small.modes.omega;
  Vector loud(40), at(40), ear(40);
  small.body->shapes().row(small.place[0], at);
  small.body->shapes().row(small.place[1], ear);
  loud = at.cwiseProduct(ear).cwiseAbs();
  const PointRef x{0, 0, Vector3(small.place[0], 0.0, 0.0)},
      y{0, 0, Vector3(small.place[1], 0.0, 0.0)};
  const std::shared_ptr<const Dynamics> body = std::move(small.body);
  const Heard out = strike(body, MoreauJeanOptions{}, x, y, struck, 44100);
  // between a clamped beam and a clamped strip that cannot bend across,  22.37/L^2 t sqrt(E/(12 rho))
  const double beam = 22.37 / 0.09 * 0.003 * std::sqrt(210e9 / 7800.0 / 12.0);
  CHECK(omega[0] > beam);
  CHECK(omega[0] < beam / std::sqrt(1.0 - 0.3 * 0.3));
  int peaks = 0;
  for (int j = 0; j < 8; ++j) {
    if (loud[j] < 0.2 * loud.head(8).maxCoeff()) continue;
    CAPTURE(j);
    // the theta rule moves omega to 2/h atan(omega h/2)
    const double heard_at = 2.0 * kRate * std::atan(0.5 * omega[j] / kRate);
    const double peak = amplitude(out.velocity, heard_at);
    CHECK(peak > 10.0 * amplitude(out.velocity, heard_at + 2.0 * pi * 15.0));
    CHECK(peak > 10.0 * amplitude(out.velocity, heard_at - 2.0 * pi * 15.0));
    ++peaks;
  }
  CHECK(peaks >= 2);
  const std::string path =
      (std::filesystem::temp_directory_path() / "saltus_reduced_plate.wav").string();
  const WavReport wav = write_wav(path, out.velocity, kRate);
  CHECK(wav.rate.rate == 44100);
  CHECK(wav.peak > 0.0);
  CHECK(std::filesystem::file_size(path) > 3 * 44100);
  std::filesystem::remove(path);
}
