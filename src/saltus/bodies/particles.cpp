#include "saltus/bodies/particles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/nodal_body_internal.h"
#include "saltus/linear_algebra/factor_form.h"
#include "saltus/linear_algebra/sparse.h"

namespace saltus {
namespace {

using ParticleBlock = Eigen::Matrix3d;

// The line of a spring: d = x_j - x_i = l n.  V = k (l - L)^2/2, and with w = v_j - v_i the force
// on i (its negative acts on j) is
//
//     k (l - L) n + c (n.w) n + rK K_e w,     K_e = k [(1 - L/l) I + (L/l) n n^T]
struct Line {
  Vector3 n = Vector3::Zero();
  double l = 0.0;
  double ratio = 0.0;  // L/l
  bool acts = true;

  Line(const Spring& s, const Vector3& d) : l(d.norm()) {
    if (l > 0.0) {
      n = d / l;
      ratio = s.length / l;
    }
    acts = (l > 0.0 || s.length == 0.0) && !(s.tension_only && l < s.length);
  }
  Vector3 elastic(const Spring& s) const { return s.stiffness * (l - s.length) * n; }
  Vector3 stiffness(const Spring& s, const Vector3& w) const {
    return s.stiffness * ((1.0 - ratio) * w + ratio * n.dot(w) * n);
  }
  Vector3 dashpot(const Spring& s, const Vector3& w) const { return s.damping * n.dot(w) * n; }
};

}  // namespace

struct Particles::Springs final : Nodes {
  ParticleSystem system;
  bool dashpots = false;  // true if a spring has one
  Vector mass;            // of every degree of freedom

  // The step operator: pattern of the springs, and the entries to which each spring and the
  // diagonal add
  SparseMatrix pattern;
  std::vector<int> diagonal;
  std::vector<std::array<int, 36>> place;

  struct SpringEvaluation final : Evaluation {
    SparseMatrix matrix;  ///< empty before the first factorise()
  };

  explicit Springs(ParticleSystem given);

  std::unique_ptr<Evaluation> make_evaluation() const override {
    auto evaluation = std::make_unique<SpringEvaluation>();
    prepare(*evaluation);
    return evaluation;
  }
  const Rayleigh& rayleigh() const { return system.rayleigh; }
  void shape(const PointRef& at, Shape& s) const override {
    if (at.feature < 0 || at.feature >= nodes) [[unlikely]]
      expects(false, "particle " + std::to_string(at.feature) + " does not exist; there are " +
                         std::to_string(nodes));
    s.count = 1;
    s.node[0] = at.feature;
    s.N[0] = 1.0;
    s.offset = at.local;
  }
  Vector3 reference(int) const override { return Vector3::Zero(); }
  static Vector3 at(const Vector& all, int particle) { return all.segment<3>(3 * particle); }
  static Line line(const Spring& s, const Vector& u) {
    return Line(s, (s.j < 0 ? s.anchor : at(u, s.j)) - at(u, s.i));
  }
  static Vector3 relative(const Spring& s, const Vector& all) {
    return s.j < 0 ? Vector3(-at(all, s.i)) : Vector3(at(all, s.j) - at(all, s.i));
  }
  static void add(const Spring& s, const Vector3& on_i, Vector& all) {
    all.segment<3>(3 * s.i) += on_i;
    if (s.j >= 0) all.segment<3>(3 * s.j) -= on_i;
  }

  double potential(Evaluation& w) const override;
  void elastic_force(Evaluation& w, Vector& out) const override;  // of the springs
  /// -(D + rM M + rK K) rate
  void damping_force(Evaluation& w, const Vector& rate, Vector& out) const override;
  void assemble(Combination s, SpringEvaluation& evaluation) const;
  void check();
  void make_pattern();
};

Particles::Springs::Springs(ParticleSystem given) : system(std::move(given)) {
  nodes = static_cast<int>(system.mass.size());
  check();
  nodal = system.mass;
  gravity_vector = system.gravity;
  loads = system.loads;
  number(3, system.prescribed, {"particles: ", std::to_string(3 * nodes) + " of them"});
  set_mass();
  mass.resize(3 * nodes);
  for (int i = 0; i < 3 * nodes; ++i) mass[i] = system.mass[i / 3];
  const Rayleigh& r = rayleigh();
  name_accounts(!system.springs.empty(), dashpots || system.drag > 0.0 || r.mass > 0.0 ||
                                             (r.stiffness > 0.0 && !system.springs.empty()));
  if (!system.springs.empty()) make_pattern();
}

void Particles::Springs::check() {
  const auto not_negative = [](double number) { return number >= 0.0 && std::isfinite(number); };
  expects(nodes > 0, "at least one particle is required");
  for (int i = 0; i < nodes; ++i)
    expects(system.mass[i] > 0.0 && std::isfinite(system.mass[i]),
            "the mass of particle " + std::to_string(i) + " must be positive and finite");
  for (std::size_t k = 0; k < system.springs.size(); ++k) {
    const Spring& s = system.springs[k];
    const auto says = [&](bool condition, const char* text) {
      if (!condition) expects(false, "spring " + std::to_string(k) + text);
    };
    says(s.i >= 0 && s.i < nodes && s.j >= -1 && s.j < nodes,
         ": one of its particles does not exist");
    says(s.i != s.j, " joins a particle to itself");
    says(not_negative(s.stiffness) && not_negative(s.length) && not_negative(s.damping),
         ": stiffness, length and damping must be finite and not negative");
    says(s.j >= 0 || s.anchor.allFinite(), ": its anchor must be finite");
    dashpots = dashpots || s.damping > 0.0;
  }
  expects(system.gravity.allFinite(), "gravity must be finite");
  expects(not_negative(system.drag), "drag must be finite and not negative");
  expects(not_negative(rayleigh().mass) && not_negative(rayleigh().stiffness),
          "Rayleigh factors must be finite and not negative");
}

void Particles::Springs::make_pattern() {
  std::vector<Entry> entries;
  for (int i = 0; i < dofs.free(); ++i) entries.push_back({i, i, 0.0});
  const auto rows_of = [&](const Spring& s) {
    std::array<int, 6> row;
    for (int a = 0; a < 3; ++a) {
      row[index(a)] = dofs[3 * s.i + a];
      row[index(3 + a)] = s.j < 0 ? -1 : dofs[3 * s.j + a];
    }
    return row;
  };
  for (const Spring& s : system.springs)
    for (int i : rows_of(s))
      for (int j : rows_of(s))
        if (i >= 0 && j >= 0) entries.push_back({i, j, 0.0});
  pattern = SparseMatrix(dofs.free(), entries);

  const auto find = [&](int i, int j) {
    const auto row = pattern.column().subspan(
        index(pattern.offset()[index(i)]),
        index(pattern.offset()[index(i) + 1] - pattern.offset()[index(i)]));
    return pattern.offset()[index(i)] +
           static_cast<int>(std::lower_bound(row.begin(), row.end(), j) - row.begin());
  };
  for (int i = 0; i < dofs.free(); ++i) diagonal.push_back(find(i, i));
  for (const Spring& s : system.springs) {
    const auto row = rows_of(s);
    std::array<int, 36>& at = place.emplace_back();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        at[index(6 * i + j)] =
            row[index(i)] < 0 || row[index(j)] < 0 ? -1 : find(row[index(i)], row[index(j)]);
  }
}

double Particles::Springs::potential(Evaluation& w) const {
  double V = 0.0;
  for (const Spring& s : system.springs)
    if (const Line d = line(s, w.u); d.acts || !s.tension_only)
      V += 0.5 * s.stiffness * (d.l - s.length) * (d.l - s.length);
  for (int i : dofs.dofs()) V -= mass[i] * system.gravity[i % 3] * w.u[i];
  return V;
}

void Particles::Springs::elastic_force(Evaluation& w, Vector& out) const {
  for (const Spring& s : system.springs)
    if (const Line d = line(s, w.u); d.acts) add(s, d.elastic(s), out);
}

void Particles::Springs::damping_force(Evaluation& at, const Vector& rate, Vector& out) const {
  const double rK = rayleigh().stiffness;
  if (dashpots || rK > 0.0)
    for (const Spring& s : system.springs) {
      const Line d = line(s, at.u);
      if (!d.acts) continue;
      const Vector3 w = relative(s, rate);
      add(s, d.dashpot(s, w) + rK * d.stiffness(s, w), out);
    }
  const double drag = system.drag, rM = rayleigh().mass;
  if (drag > 0.0 || rM > 0.0) out.array() -= (drag + rM * mass.array()) * rate.array();
}

// m M + c C + k K at q
void Particles::Springs::assemble(Combination s, SpringEvaluation& evaluation) const {
  if (evaluation.matrix.size() == 0) evaluation.matrix = pattern;
  const std::span<double> value = evaluation.matrix.value();
  std::ranges::fill(value, 0.0);
  const Rayleigh& r = rayleigh();
  for (int i = 0; i < dofs.free(); ++i)
    value[index(diagonal[index(i)])] = (s.m + s.c * r.mass) * mass_free[i] + s.c * system.drag;
  const double k = s.k + s.c * r.stiffness;
  for (std::size_t e = 0; e < place.size(); ++e) {
    const Spring& spring = system.springs[e];
    const Line d = line(spring, evaluation.u);
    if (!d.acts) continue;
    const ParticleBlock along = d.n * d.n.transpose();
    const ParticleBlock block =
        k * spring.stiffness * ((1.0 - d.ratio) * ParticleBlock::Identity() + d.ratio * along) +
        s.c * spring.damping * along;
    const std::array<int, 36>& at = place[e];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (const int to = at[index(6 * i + j)]; to >= 0)
          value[index(to)] += (i / 3 == j / 3 ? 1.0 : -1.0) * block(i % 3, j % 3);
  }
}

Particles::Particles(ParticleSystem system)
    : NodalBody(std::make_unique<Springs>(std::move(system))),
      springs_(static_cast<Springs*>(nodes_.get())) {}
Particles::~Particles() = default;

int Particles::bodies() const { return prescribed() == 0 ? springs_->nodes : 1; }
Rayleigh Particles::rayleigh() const { return springs_->rayleigh(); }

double Particles::offset() const {
  double most = 0.0;
  for (const Spring& s : springs_->system.springs) {
    const double end = s.j < 0 ? s.anchor.lpNorm<Eigen::Infinity>() : 0.0;
    most = std::max(most, end + s.length);
  }
  return most;
}

unsigned Particles::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                    Trait::symmetric | Trait::potential | Trait::fixed_points;
  if (springs_->system.springs.empty()) traits = traits | Trait::affine;
  if (springs_->damping < 0) traits = traits | Trait::separable;
  if (springs_->dofs.moving()) traits = traits | Trait::driven;
  return traits;
}

void Particles::multiply(Combination s, double t, View q, View, View x, Out y) const {
  const Springs& d = *springs_;
  if (s.c == 0.0 && s.k == 0.0) {
    y.array() = s.m * d.mass_free.array() * x.array();
    return;
  }
  const auto at = d.evaluations.borrow();
  d.put(t, q, *at);
  d.spread(x, at->x);
  const Rayleigh& r = d.rayleigh();
  at->y.array() = ((s.m + s.c * r.mass) * d.mass.array() + s.c * d.system.drag) * at->x.array();
  const double k = s.k + s.c * r.stiffness;
  for (const Spring& spring : d.system.springs) {
    const Line line = d.line(spring, at->u);
    if (!line.acts) continue;
    const Vector3 w = d.relative(spring, at->x);
    d.add(spring, -(k * line.stiffness(spring, w) + s.c * line.dashpot(spring, w)), at->y);
  }
  d.dofs.gather(at->y, y);
}

void Particles::factorise(Combination s, double t, View q, View, Factor& A) const {
  const Springs& d = *springs_;
  if (d.system.springs.empty() || (s.c == 0.0 && s.k == 0.0)) {
    diagonal_in(A) =
        ((s.m + s.c * d.rayleigh().mass) * d.mass_free.array() + s.c * d.system.drag).inverse();
    return;
  }
  const auto loan = d.evaluations.borrow();
  auto& evaluation = static_cast<Springs::SpringEvaluation&>(*loan);
  d.put(t, q, evaluation);
  d.assemble(s, evaluation);
  operator_in<SparseOperator>(A).factorise(evaluation.matrix);
}

}  // namespace saltus
