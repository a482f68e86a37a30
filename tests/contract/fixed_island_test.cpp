// Groups whose rows never change meet by tables; the assembled rows are their oracle.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cases.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/dynamics/forwarding.h"
#include "saltus/sim/failure_text.h"

using namespace saltus;
using namespace saltus::contract;

namespace {

/// The same body, which has no table: the rows of its island are assembled in every pass.
class Untabled final : public ForwardingDynamics {
 public:
  explicit Untabled(std::shared_ptr<const Dynamics> body) : body_(std::move(body)) {}
  std::unique_ptr<PointTable> table(std::span<const PointRef>,
                                    std::span<const Vector3>) const override {
    return nullptr;
  }

 private:
  const Dynamics& inner() const override { return *body_; }
  std::shared_ptr<const Dynamics> body_;
};

Model assembled(ModelParts parts) {
  for (Group& group : parts.groups) group.dynamics = std::make_shared<Untabled>(group.dynamics);
  return Model(std::move(parts));
}

/// How many problems had a W of tables, and how many another.
struct Kinds final : ContactObserver {
  int tables = 0, others = 0;
  void solved(const SolvedContact& contact) override {
    ++(contact.problem.W.constant() ? tables : others);
  }
};

double largest(const Vector& x) { return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>(); }

/// Of two simulations of the same scene.
struct Agreement {
  int contacts = 0;      ///< that carried an impulse, of all steps
  int tables = 0;        ///< problems of the first, if tables solved all of them
  double motion = 0.0;   ///< largest difference of q and v, as a share of their largest
  double impulse = 0.0;  ///< of the impulse of a step, as a share of the largest
  double places = 0.0;   ///< of gaps and places of contacts [m]
  double forces = 0.0;   ///< of what holds prescribed degrees of freedom, as a share of the largest
};

/// With tables, and with rows that are assembled in every pass.
Agreement agreement(const ModelParts& parts, int steps) {
  Simulation fast{Model(parts)}, slow{assembled(parts)};
  Kinds by_tables, by_rows;
  fast.observe(&by_tables);
  slow.observe(&by_rows);
  Agreement found;
  std::vector<double> q(parts.groups.size()), v(parts.groups.size()), f(parts.groups.size());
  double impulses = 0.0;
  for (int k = 0; k < steps; ++k) {
    const StepReport a = fast.advance(), b = slow.advance();
    REQUIRE(a.converged);
    REQUIRE(b.converged);
    REQUIRE(a.contacts == b.contacts);
    CHECK(a.residual_after <= 1e-9);
    found.contacts += a.contacts;
    impulses = std::max(impulses, b.impulse);
    for (std::size_t g = 0; g < parts.groups.size(); ++g) {
      const GroupState &x = fast.state().groups[g], &y = slow.state().groups[g];
      q[g] = std::max(q[g], largest(y.q));
      v[g] = std::max(v[g], largest(y.v));
      found.motion = std::max({found.motion, largest(x.q - y.q) / q[g], largest(x.v - y.v) / v[g]});
      if (parts.groups[g].dynamics->prescribed() == 0) continue;
      const int group = static_cast<int>(g);
      f[g] = std::max(f[g], largest(slow.reactions(group)));
      found.forces =
          std::max(found.forces, largest(fast.reactions(group) - slow.reactions(group)) / f[g]);
    }
    if (impulses > 0.0)
      found.impulse = std::max(found.impulse, std::abs(a.impulse - b.impulse) / impulses);
    found.places = std::max(found.places, std::abs(a.gap - b.gap));
    const std::span<const ContactView> seen = fast.contacts(), known = slow.contacts();
    REQUIRE(seen.size() == known.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      CHECK(seen[i].key == known[i].key);
      CHECK(seen[i].a.group == known[i].a.group);
      CHECK(seen[i].b.group == known[i].b.group);
      CHECK(seen[i].status == known[i].status);
      const Vector3 off = seen[i].point - known[i].point;
      // across the normal the point is that of the obstacle, or of the body
      found.places = std::max(
          {found.places, known[i].b.group < 0 ? std::abs(known[i].normal.dot(off)) : off.norm(),
           std::abs(seen[i].gap - known[i].gap)});
    }
  }
  CHECK(by_rows.tables == 0);
  CHECK(by_rows.others == by_tables.tables + by_tables.others);
  CHECK(fast.notices().size() == slow.notices().size());
  found.tables = by_tables.others == 0 ? by_tables.tables : 0;
  return found;
}

void check(const Agreement& found, int least) {
  CHECK(found.tables > 0);
  CHECK(found.contacts >= least);
  CHECK(found.motion <= 1e-10);
  CHECK(found.impulse <= 1e-9);
  CHECK(found.places <= 1e-12);
  CHECK(found.forces <= 1e-9);
}

/// A string of `modes` along x, 1 m long, at a height z; bent and moved by its lowest modes.
Body string_at(double z, int modes, double pitch, double bend, double rate, double sigma = 0.0) {
  Vector mass(modes), omega(modes);
  for (int j = 0; j < modes; ++j) {
    mass[j] = 0.003;
    omega[j] = 2.0 * std::numbers::pi * pitch * (j + 1);
  }
  Body body;
  body.name = "string";
  body.dynamics = std::make_shared<Modal>(
      mass, omega, Vector::Constant(modes, sigma), sine_shapes(1.0, modes),
      ModalPlacement{Vector3(0.0, 0.0, z), Vector3::UnitX(), Vector3::UnitZ()});
  body.state.q = Vector::Zero(modes);
  body.state.v = Vector::Zero(modes);
  body.state.q[0] = bend;
  body.state.q[1] = 0.4 * bend;
  body.state.v[0] = rate;
  body.state.v[2] = 0.3 * rate;
  return body;
}

ContactSide along(int group, double x) { return {group, {0, 0, Vector3(x, 0.0, 0.0)}}; }

struct Meeting {
  std::shared_ptr<const Scheme> upper, lower;
  AnyLaw law;
};

/// A string that swings on another one, by points of both.
ModelParts two_strings(const Meeting& how, int points = 7, double sigma = 0.0, int modes = 20) {
  ModelParts made = parts(string_at(0.0, modes, 90.0, 0.004, -1.0, sigma), how.upper, 2e-5);
  add_group(made, string_at(-0.001, modes - 4, 130.0, -0.001, 0.4, sigma), how.lower);
  for (int i = 1; i <= points; ++i) {
    const double x = 0.93 * i / (points + 1);
    add_pair(made, along(0, x), along(1, x + 0.013), Vector3::UnitZ(), how.law);
  }
  made.options.pass_tolerance = 1e-12;
  return made;
}

std::vector<Meeting> meetings() {
  NewtonImpact siconos = newton_impact(0.4);
  siconos.activation.kind = ActivationKind::siconos;
  NewtonImpact closing = newton_impact(0.3);
  closing.activation.closing_only = true;
  std::vector<Meeting> all{{modal_exact(), modal_exact(), signorini()},
                           {modal_exact(), moreau_jean(1.0), signorini()},
                           {moreau_jean(1.0), modal_exact(), signorini()}};
  for (const AnyLaw& law : {AnyLaw(newton_impact(0.0)), AnyLaw(newton_impact(0.5)),
                            AnyLaw(newton_impact(1.0)), AnyLaw(siconos), AnyLaw(closing)})
    for (const auto& [upper, lower] :
         {std::pair(modal_exact(), modal_exact()), std::pair(moreau_jean(0.5), moreau_jean(0.5)),
          std::pair(modal_exact(), moreau_jean(0.5)), std::pair(moreau_jean(0.5), modal_exact()),
          std::pair(moreau_jean(0.7), moreau_jean(1.0))})
      all.push_back({upper, lower, law});
  return all;
}

/// n bodies of one mode each that moves as a whole along z, one above the other, without forces.
ModelParts column(std::span<const double> masses, const std::shared_ptr<const Scheme>& scheme,
                  double h) {
  ModelParts made;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    Body body;
    body.name = "block " + std::to_string(i);
    body.dynamics =
        std::make_shared<Modal>(Vector::Constant(1, masses[i]), Vector::Zero(1), Vector::Zero(1),
                                tabulated_shapes({0.0, 1.0}, Matrix::Ones(2, 1)),
                                ModalPlacement{Vector3(0.0, 0.0, 0.1 * static_cast<double>(i)),
                                               Vector3::UnitX(), Vector3::UnitZ()});
    body.state.q = Vector::Zero(1);
    body.state.v = Vector::Constant(1, 1.0 - 0.7 * static_cast<double>(i));
    if (i == 0)
      made = parts(body, scheme, h);
    else
      add_group(made, body, scheme);
  }
  return made;
}

double momentum(const Simulation& sim, std::span<const double> masses) {
  double sum = 0.0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    Vector v(1);
    sim.velocity(static_cast<int>(i), v);
    sum += masses[i] * v[0];
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "two strings that touch by tables move as with assembled rows under every law and pair of "
    "schemes") {
  for (const Meeting& how : meetings()) {
    CAPTURE(std::string(how.upper->name()));
    CAPTURE(std::string(how.lower->name()));
    CAPTURE(how.law->description());
    check(agreement(two_strings(how), 500), 12);
  }
}

TEST_CASE("a string on frets moves as with assembled rows under every law") {
  for (const Meeting& how : meetings()) {
    CAPTURE(std::string(how.upper->name()));
    CAPTURE(how.law->description());
    ModelParts made = parts(string_at(0.0, 20, 90.0, 0.004, -1.0), how.upper, 2e-5);
    for (int i = 1; i <= 7; ++i)
      add_plane(made, 0, along(0, 0.11 * i).ref, Vector3(0.11 * i, 0.0, -0.001), Vector3::UnitZ(),
                how.law);
    check(agreement(made, 500), 12);
  }
}

TEST_CASE("a body of any kind on an elastic bar moves as with assembled rows") {
  int tried = 0, unsymmetric = 0;
  for (const Pair& pair : legal_pairs()) {
    const Body& body = pair.body;
    const Scheme& scheme = *pair.scheme.scheme;
    if (!has(body.dynamics->traits(), Trait::fixed_points) || !scheme.one_pass(*body.dynamics) ||
        scheme.stages().size() > 1)
      continue;
    for (const auto& other : {moreau_jean(0.5), modal_exact()}) {
      CAPTURE(pair.name());
      CAPTURE(std::string(other->name()));
      ModelParts made = parts(body, pair.scheme.scheme, 1e-3);
      Body bar = modal_bar({}, false);
      bar.state.v.setZero();
      add_group(made, bar, other);
      const Vector3 between = point_at(*body.dynamics, body.state.q, body.tip) -
                              point_at(*bar.dynamics, bar.state.q, bar.tip);
      add_pair(made, {0, body.tip}, {1, bar.tip}, body.normal, newton_impact(0.4));
      made.pairs[0].distance = body.normal.dot(between) - 0.001;
      check(agreement(made, 200), 1);
      ++tried;
      unsymmetric += has(body.dynamics->traits(), Trait::symmetric) ? 0 : 1;
    }
  }
  CHECK(tried >= 40);
  CHECK(unsymmetric >= 4);
}

TEST_CASE("strings in a chain over frets and a string that touches itself are one problem") {
  for (const auto& [scheme, law] : {std::pair(modal_exact(), AnyLaw(signorini())),
                                    std::pair(modal_exact(), AnyLaw(newton_impact(0.5))),
                                    std::pair(moreau_jean(0.5), AnyLaw(newton_impact(0.0)))}) {
    CAPTURE(std::string(scheme->name()));
    ModelParts made = parts(string_at(0.0, 18, 90.0, 0.004, -1.0), scheme, 2e-5);
    add_group(made, string_at(-0.001, 14, 130.0, -0.001, 0.4), scheme);
    add_group(made, string_at(-0.003, 16, 70.0, 0.001, 0.7), scheme);
    for (int i = 1; i <= 4; ++i) {  // in another order than that of the groups
      const double x = 0.19 * i;
      add_pair(made, along(1, x), along(2, x + 0.01), Vector3::UnitZ(), law);
      add_pair(made, along(0, x), along(1, x + 0.02), Vector3::UnitZ(), law);
      add_plane(made, 2, along(2, x).ref, Vector3(x, 0.0, -0.0045), Vector3::UnitZ(), law);
      add_pair(made, along(0, 0.2 + 0.02 * i), along(0, 0.8 - 0.02 * i), Vector3::UnitZ(), law);
      made.pairs.back().distance = -0.002;
    }
    check(agreement(made, 400), 60);
  }
}

TEST_CASE("particles of one group that a thread holds together move as with assembled rows") {
  const Body body = particles();
  int tried = 0;
  for (const SchemeCase& scheme : scheme_cases()) {
    if (!legal(*scheme.scheme, *body.dynamics) || !scheme.scheme->one_pass(*body.dynamics) ||
        scheme.scheme->stages().size() > 1)
      continue;
    CAPTURE(scheme.name);
    ModelParts made = parts(body, scheme.scheme, 1e-3);
    add_pair(made, {0, {0, 0, Vector3::Zero()}}, {0, {0, 1, Vector3::Zero()}}, -Vector3::UnitZ(),
             newton_impact(0.3));
    made.pairs[0].distance = -0.47;  // their places along z are 0.45 m apart at the start
    check(agreement(made, 300), 2);
    ++tried;
  }
  CHECK(tried >= 2);
}

TEST_CASE(
    "contacts are looked for at the start and in the middle of the step as with assembled rows") {
  for (const ContactInstant instant : {ContactInstant::start, ContactInstant::middle})
    for (const Meeting& how : meetings()) {
      if (how.law->position_level()) continue;
      CAPTURE(static_cast<int>(instant));
      CAPTURE(std::string(how.upper->name()));
      CAPTURE(std::string(how.lower->name()));
      CAPTURE(how.law->description());
      ModelParts made = two_strings(how);
      made.options.instant = instant;
      check(agreement(made, 500), 12);
    }
}

TEST_CASE("which of two bodies a contact is written on changes the motion by round-off alone") {
  for (const Meeting& how : meetings()) {
    CAPTURE(std::string(how.upper->name()));
    CAPTURE(std::string(how.lower->name()));
    CAPTURE(how.law->description());
    ModelParts made = two_strings(how);
    for (ContactPair& pair : made.pairs) pair.distance = 2e-4;
    ModelParts turned = made;
    for (ContactPair& pair : turned.pairs) {
      std::swap(pair.a, pair.b);
      pair.normal = -pair.normal;
    }
    Simulation one{Model(made)}, other{Model(turned)};
    int contacts = 0;
    for (int k = 0; k < 500; ++k) {
      contacts += one.advance().contacts;
      other.advance();
    }
    CHECK(contacts >= 12);
    for (std::size_t g = 0; g < 2; ++g)
      for (const auto of : {&GroupState::q, &GroupState::v}) {
        const Vector &x = one.state().groups[g].*of, &y = other.state().groups[g].*of;
        CHECK(largest(x - y) <= 1e-10 * largest(x));
      }
  }
}

TEST_CASE("bodies that strike each other by tables keep their momentum") {
  const std::vector<double> masses{1.0, 0.3, 2.5, 0.7};
  for (const auto& scheme : {moreau_jean(0.5), moreau_jean(1.0), modal_exact()})
    for (const double e : {0.0, 0.6}) {
      CAPTURE(std::string(scheme->name()));
      CAPTURE(e);
      ModelParts made = column(masses, scheme, 1e-3);
      for (int i = 0; i < 3; ++i) {
        add_pair(made, along(i + 1, 1.0), along(i, 1.0), Vector3::UnitZ(), newton_impact(e));
        made.pairs.back().distance = 0.08;
      }
      Simulation sim{Model(made)};
      const double start = momentum(sim, masses), sum = 4.5;
      int contacts = 0;
      for (int k = 0; k < 400; ++k) {
        contacts += sim.advance().contacts;
        CHECK(std::abs(momentum(sim, masses) - start) <= 1e-14 * sum);
      }
      CHECK(contacts >= 3);
      if (e > 0.0) continue;
      for (int i = 0; i < 4; ++i) {  // they go on together
        Vector v(1);
        sim.velocity(i, v);
        CHECK(std::abs(v[0] - start / sum) <= 1e-12);
      }
    }
}

TEST_CASE("strings of the exact scheme do not pass through each other and never gain energy") {
  for (const double sigma : {0.0, 3.0}) {
    Simulation sim{
        Model(two_strings({modal_exact(), modal_exact(), AnyLaw(signorini())}, 9, sigma, 40))};
    const double scale = energy_scale(sim.state());
    int contacts = 0;
    for (int k = 0; k < 2000; ++k) {
      const double before = sim.state().energy.total();
      const StepReport report = sim.advance();
      contacts += report.contacts;
      CHECK(report.gap >= -1e-12);
      CHECK(sim.state().energy.total() - before <= 1e-12 * scale);
      CHECK(std::abs(report.unexplained) <= 1e-12 * scale);
      CHECK(report.residual_after <= 1e-9);
    }
    CHECK(contacts >= 100);
  }
}

TEST_CASE("an elastic impact between strings takes no energy") {
  NewtonImpact law = newton_impact(1.0);
  law.activation.kind = ActivationKind::siconos;
  Simulation sim{Model(two_strings({moreau_jean(0.5), moreau_jean(0.5), AnyLaw(law)}))};
  const double start = sim.state().energy.total();
  int contacts = 0;
  for (int k = 0; k < 1000; ++k) contacts += sim.advance().contacts;
  CHECK(contacts >= 20);
  CHECK(std::abs(sim.state().energy.total() - start) <= 1e-12 * start);
}

TEST_CASE("strings that touch resume in the same bits in mid-contact") {
  for (const Meeting& how : meetings()) {
    CAPTURE(std::string(how.upper->name()));
    CAPTURE(std::string(how.lower->name()));
    CAPTURE(how.law->description());
    const Model model(two_strings(how));
    Simulation whole(model);
    std::vector<State> states;
    for (int k = 0; k < 300; ++k) {
      const int contacts = whole.advance().contacts;
      if (contacts > 0 && states.size() < 3) states.push_back(whole.state());
    }
    REQUIRE(states.size() == 3);
    for (const State& half : states) {
      Simulation resumed(model, half);
      while (resumed.state().step < whole.state().step) resumed.advance();
      CHECK(identical(resumed.state(), whole.state()));
    }
  }
}

TEST_CASE("steps that follow their error meet by tables as by assembled rows") {
  ModelParts made = two_strings({moreau_jean(0.5), moreau_jean(0.5), AnyLaw(newton_impact(0.5))});
  made.options.step_tolerance = 1e-3;
  check(agreement(made, 200), 12);
}

TEST_CASE("contacts that tables cannot hold are assembled") {
  const auto tables = [](const ModelParts& made) {
    Kinds kinds;
    Simulation sim{Model(made)};
    sim.observe(&kinds);
    for (int k = 0; k < 300; ++k) sim.advance();
    REQUIRE(kinds.tables + kinds.others > 0);
    return kinds.tables > 0;
  };
  const Meeting how{moreau_jean(0.5), moreau_jean(0.5), AnyLaw(newton_impact(0.5))};
  CHECK(tables(two_strings(how)));

  ModelParts rubs = two_strings(how);
  NewtonImpact rough = newton_impact(0.5);
  rough.friction = 0.3;
  rubs.laws.back() = rough;
  rubs.pairs.back().tangents = 1;
  rubs.pairs.back().tangent[0] = Vector3::UnitX();
  CHECK_FALSE(tables(rubs));

  ModelParts held = two_strings(how);
  held.laws.back() = AnyLaw(equality());
  CHECK_FALSE(tables(held));

  // a point of the ground, which shakes
  ModelParts shaken = parts(modal_bar(), moreau_jean(0.5), 1e-3);
  const Body ground = linear_system({}, true), bar = modal_bar();
  add_group(shaken, ground, moreau_jean(0.5));
  const PointRef moving{0, 3, Vector3::Zero()};
  add_pair(shaken, {0, bar.tip}, {1, moving}, bar.normal, newton_impact(0.2));
  shaken.pairs[0].distance = bar.normal.dot(point_at(*bar.dynamics, bar.state.q, bar.tip) -
                                            point_at(*ground.dynamics, ground.state.q, moving)) -
                             1e-4;
  CHECK_FALSE(tables(shaken));
}

TEST_CASE("where no motion keeps bodies apart the failure names them as with assembled rows") {
  const std::vector<double> masses{1.0, 2.0};
  ModelParts made = column(masses, moreau_jean(1.0), 1e-3);
  for (const double side : {1.0, -1.0}) {
    add_pair(made, along(1, 1.0), along(0, 1.0), side * Vector3::UnitZ(), signorini());
    made.pairs.back().distance = side * 0.05 + 0.01;
  }
  std::string text[2];
  for (const bool by_rows : {false, true}) {
    const Model model = by_rows ? assembled(made) : Model(made);
    Simulation sim{model};
    const StepReport report = sim.advance();
    CHECK_FALSE(report.converged);
    text[by_rows ? 1 : 0] = failure_text(model, report, 1);
  }
  CHECK(text[0].find("'block 1' with 'block 0'") != std::string::npos);
  CHECK(text[0] == text[1]);
}
