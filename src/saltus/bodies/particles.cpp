#include "saltus/bodies/particles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/bodies/row_table.h"
#include "saltus/math/sparse.h"

namespace saltus {
namespace {

using Block = Eigen::Matrix3d;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void expect_particle(int particles, const PointRef& at) {
  if (at.feature < 0 || at.feature >= particles) [[unlikely]]
    expects(false, "particle " + std::to_string(at.feature) + " of " + std::to_string(particles));
}

// The line of a spring: d = x_j - x_i = l n.  V = k (l - L)^2/2, and with w = v_j - v_i the force on i (minus it on j)
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

struct Particles::Data {
  ParticleSystem system;
  int particles = 0;
  bool moving = false;    // a prescribed degree of freedom moves
  bool dashpots = false;  // a spring has one
  Vector mass;            // of every degree of freedom
  Vector mass_free;
  std::vector<int> free_dofs, index_of;
  std::vector<Source> sources;
  int elastic = -1, gravity = -1, damping = -1, load = -1, prescribed = -1;

  // All degrees of freedom of the present call, and scratch of that size
  Vector q, v, f, x, y;

  // The step operator: pattern of the springs, and where each spring and the diagonal add to its values
  SparseMatrix matrix;
  std::vector<int> diagonal;
  std::vector<std::array<int, 36>> place;

  explicit Data(ParticleSystem given);

  int dofs() const { return 3 * particles; }
  int free() const { return static_cast<int>(free_dofs.size()); }
  const Rayleigh& rayleigh() const { return system.rayleigh; }

  void scatter(View part, Vector& all) const {
    for (int i = 0; i < free(); ++i) all[free_dofs[index(i)]] = part[i];
  }
  void gather(const Vector& all, Out part) const {
    for (int i = 0; i < free(); ++i) part[i] = all[free_dofs[index(i)]];
  }
  double dot(const Vector& all, View w) const {
    double sum = 0.0;
    for (int i = 0; i < free(); ++i) sum += all[free_dofs[index(i)]] * w[i];
    return sum;
  }
  void put(double t, View part) {
    scatter(part, q);
    for (const Prescribed& p : system.prescribed) q[p.dof] = p.signal.value(t);
  }
  void put(double t, View part, View rates) {
    put(t, part);
    scatter(rates, v);
    for (const Prescribed& p : system.prescribed) v[p.dof] = p.signal.rate(t);
  }
  static Vector3 at(const Vector& all, int particle) { return all.segment<3>(3 * particle); }
  Line line(const Spring& s) const {
    return Line(s, (s.j < 0 ? s.anchor : at(q, s.j)) - at(q, s.i));
  }
  static Vector3 relative(const Spring& s, const Vector& all) {
    return s.j < 0 ? Vector3(-at(all, s.i)) : Vector3(at(all, s.j) - at(all, s.i));
  }
  static void add(const Spring& s, const Vector3& on_i, Vector& all) {
    all.segment<3>(3 * s.i) += on_i;
    if (s.j >= 0) all.segment<3>(3 * s.j) -= on_i;
  }

  double potential() const;
  void elastic_force(Vector& out) const;                      // out += that of the springs at q
  void gravity_force(Vector& out) const;                      // out += m g
  void damping_force(const Vector& rate, Vector& out) const;  // out -= (D + rM M + rK K) rate
  void load_force(double t, Vector& out) const;
  void all_forces(double t, Vector& out) const;
  void assemble(Combination s);
  void check();
  void make_pattern();
};

Particles::Data::Data(ParticleSystem given) : system(std::move(given)) {
  particles = static_cast<int>(system.mass.size());
  check();
  for (Vector* vector : {&q, &v, &f, &x, &y}) vector->setZero(dofs());
  mass.resize(dofs());
  for (int i = 0; i < dofs(); ++i) mass[i] = system.mass[i / 3];
  for (int i = 0; i < dofs(); ++i)
    if (index_of[index(i)] >= 0) {
      index_of[index(i)] = free();
      free_dofs.push_back(i);
    }
  mass_free.resize(free());
  gather(mass, mass_free);

  const auto account = [&](bool there, const char* name, bool potential, int& at) {
    if (!there) return;
    at = static_cast<int>(sources.size());
    sources.push_back({name, potential});
  };
  const Rayleigh& r = rayleigh();
  account(!system.springs.empty(), "elastic", true, elastic);
  account(!system.gravity.isZero(0.0), "gravity", true, gravity);
  account(dashpots || system.drag > 0.0 || r.mass > 0.0 ||
              (r.stiffness > 0.0 && !system.springs.empty()),
          "damping", false, damping);
  account(!system.loads.empty(), "load", false, load);
  account(!system.prescribed.empty(), "prescribed", false, prescribed);
  if (!system.springs.empty()) make_pattern();
}

void Particles::Data::check() {
  const auto not_negative = [](double number) { return number >= 0.0 && std::isfinite(number); };
  expects(particles > 0, "there is at least one particle");
  for (int i = 0; i < particles; ++i)
    expects(system.mass[i] > 0.0 && std::isfinite(system.mass[i]),
            "the mass of particle " + std::to_string(i) + " is positive and finite");
  for (std::size_t k = 0; k < system.springs.size(); ++k) {
    const Spring& s = system.springs[k];
    const auto says = [&](bool condition, const char* text) {
      if (!condition) expects(false, "spring " + std::to_string(k) + text);
    };
    says(s.i >= 0 && s.i < particles && s.j >= -1 && s.j < particles,
         ": one of its particles is not there");
    says(s.i != s.j, " joins a particle to itself");
    says(not_negative(s.stiffness) && not_negative(s.length) && not_negative(s.damping),
         ": stiffness, length and damping are finite and not negative");
    says(s.anchor.allFinite(), ": its anchor is finite");
    dashpots = dashpots || s.damping > 0.0;
  }
  expects(system.gravity.allFinite(), "gravity is finite");
  expects(not_negative(system.drag), "drag is finite and not negative");
  expects(not_negative(rayleigh().mass) && not_negative(rayleigh().stiffness),
          "Rayleigh factors are finite and not negative");
  const auto there = [&](int dof) {
    expects(dof >= 0 && dof < dofs(),
            "degree of freedom " + std::to_string(dof) + " of " + std::to_string(dofs()));
  };
  for (const Load& l : system.loads)
    for (const auto& [dof, weight] : l.pattern) {
      there(dof);
      expects(std::isfinite(weight), "weights of loads are finite");
    }
  index_of.assign(index(dofs()), 0);
  for (const Prescribed& p : system.prescribed) {
    there(p.dof);
    expects(index_of[index(p.dof)] == 0,
            "degree of freedom " + std::to_string(p.dof) + " is prescribed twice");
    index_of[index(p.dof)] = -1;
    moving = moving || !p.signal.is_constant();
  }
  expects(static_cast<int>(system.prescribed.size()) < dofs(),
          "at least one degree of freedom is free");
}

void Particles::Data::make_pattern() {
  std::vector<Entry> entries;
  for (int i = 0; i < free(); ++i) entries.push_back({i, i, 0.0});
  const auto rows_of = [&](const Spring& s) {
    std::array<int, 6> row;
    for (int a = 0; a < 3; ++a) {
      row[index(a)] = index_of[index(3 * s.i + a)];
      row[index(3 + a)] = s.j < 0 ? -1 : index_of[index(3 * s.j + a)];
    }
    return row;
  };
  for (const Spring& s : system.springs)
    for (int i : rows_of(s))
      for (int j : rows_of(s))
        if (i >= 0 && j >= 0) entries.push_back({i, j, 0.0});
  matrix = SparseMatrix(free(), entries);

  const auto find = [&](int i, int j) {
    const auto row =
        matrix.column().subspan(index(matrix.offset()[index(i)]),
                                index(matrix.offset()[index(i) + 1] - matrix.offset()[index(i)]));
    return matrix.offset()[index(i)] +
           static_cast<int>(std::lower_bound(row.begin(), row.end(), j) - row.begin());
  };
  for (int i = 0; i < free(); ++i) diagonal.push_back(find(i, i));
  for (const Spring& s : system.springs) {
    const auto row = rows_of(s);
    std::array<int, 36>& at = place.emplace_back();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        at[index(6 * i + j)] =
            row[index(i)] < 0 || row[index(j)] < 0 ? -1 : find(row[index(i)], row[index(j)]);
  }
}

double Particles::Data::potential() const {
  double V = 0.0;
  for (const Spring& s : system.springs)
    if (const Line d = line(s); d.acts || !s.tension_only)
      V += 0.5 * s.stiffness * (d.l - s.length) * (d.l - s.length);
  for (int i : free_dofs) V -= mass[i] * system.gravity[i % 3] * q[i];
  return V;
}

void Particles::Data::elastic_force(Vector& out) const {
  for (const Spring& s : system.springs)
    if (const Line d = line(s); d.acts) add(s, d.elastic(s), out);
}

void Particles::Data::gravity_force(Vector& out) const {
  for (int i = 0; i < particles; ++i) out.segment<3>(3 * i) += system.mass[i] * system.gravity;
}

void Particles::Data::damping_force(const Vector& rate, Vector& out) const {
  const double rK = rayleigh().stiffness;
  if (dashpots || rK > 0.0)
    for (const Spring& s : system.springs) {
      const Line d = line(s);
      if (!d.acts) continue;
      const Vector3 w = relative(s, rate);
      add(s, d.dashpot(s, w) + rK * d.stiffness(s, w), out);
    }
  const double drag = system.drag, rM = rayleigh().mass;
  if (drag > 0.0 || rM > 0.0) out.array() -= (drag + rM * mass.array()) * rate.array();
}

void Particles::Data::load_force(double t, Vector& out) const {
  for (const Load& l : system.loads) {
    const double value = l.signal.value(t);
    for (const auto& [dof, weight] : l.pattern) out[dof] += weight * value;
  }
}

void Particles::Data::all_forces(double t, Vector& out) const {
  out.setZero();
  elastic_force(out);
  gravity_force(out);
  damping_force(v, out);
  load_force(t, out);
}

// m M + c C + k K at q
void Particles::Data::assemble(Combination s) {
  // the matrix is ours and not constant; only its pattern is
  double* value = const_cast<double*>(matrix.value().data());
  std::fill(value, value + matrix.value().size(), 0.0);
  const Rayleigh& r = rayleigh();
  for (int i = 0; i < free(); ++i)
    value[diagonal[index(i)]] = (s.m + s.c * r.mass) * mass_free[i] + s.c * system.drag;
  const double k = s.k + s.c * r.stiffness;
  for (std::size_t e = 0; e < place.size(); ++e) {
    const Spring& spring = system.springs[e];
    const Line d = line(spring);
    if (!d.acts) continue;
    const Block along = d.n * d.n.transpose();
    const Block block =
        k * spring.stiffness * ((1.0 - d.ratio) * Block::Identity() + d.ratio * along) +
        s.c * spring.damping * along;
    const std::array<int, 36>& at = place[e];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (const int to = at[index(6 * i + j)]; to >= 0)
          value[to] += (i / 3 == j / 3 ? 1.0 : -1.0) * block(i % 3, j % 3);
  }
}

Particles::Particles(ParticleSystem system) : data_(std::make_unique<Data>(std::move(system))) {}
Particles::~Particles() = default;

int Particles::bodies() const { return data_->system.prescribed.empty() ? data_->particles : 1; }
int Particles::positions() const { return data_->free(); }
Rayleigh Particles::rayleigh() const { return data_->rayleigh(); }
int Particles::prescribed() const { return static_cast<int>(data_->system.prescribed.size()); }
std::span<const Source> Particles::sources() const { return data_->sources; }

unsigned Particles::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                    Trait::symmetric | Trait::potential | Trait::fixed_points;
  if (data_->system.springs.empty()) traits = traits | Trait::affine;
  return traits;
}

int Particles::free_index(int dof) const {
  expects(dof >= 0 && dof < data_->dofs(), "a degree of freedom of the particles");
  return data_->index_of[index(dof)];
}

void Particles::full(double t, View q, Out all) const {
  data_->put(t, q);
  all = data_->q;
}

void Particles::force(double t, View q, View v, Out f) const {
  Data& d = *data_;
  d.put(t, q, v);
  d.all_forces(t, d.f);
  d.gather(d.f, f);
}

void Particles::potential_force(double, View q, Out f) const {
  Data& d = *data_;
  d.put(0.0, q);
  d.f.setZero();
  d.elastic_force(d.f);
  d.gravity_force(d.f);
  d.gather(d.f, f);
}

void Particles::multiply(Combination s, View q, View, View x, Out y) const {
  Data& d = *data_;
  if (s.c == 0.0 && s.k == 0.0) {
    y.array() = s.m * d.mass_free.array() * x.array();
    return;
  }
  d.put(0.0, q);
  d.x.setZero();
  d.scatter(x, d.x);
  const Rayleigh& r = d.rayleigh();
  d.y.array() = ((s.m + s.c * r.mass) * d.mass.array() + s.c * d.system.drag) * d.x.array();
  const double k = s.k + s.c * r.stiffness;
  for (const Spring& spring : d.system.springs) {
    const Line line = d.line(spring);
    if (!line.acts) continue;
    const Vector3 w = d.relative(spring, d.x);
    d.add(spring, -(k * line.stiffness(spring, w) + s.c * line.dashpot(spring, w)), d.y);
  }
  d.gather(d.y, y);
}

void Particles::factorise(Combination s, View q, View, Factor& A) const {
  Data& d = *data_;
  if (d.system.springs.empty() || (s.c == 0.0 && s.k == 0.0)) {
    if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
    std::get<Diagonal>(A.form).inverse =
        ((s.m + s.c * d.rayleigh().mass) * d.mass_free.array() + s.c * d.system.drag).inverse();
    return;
  }
  d.put(0.0, q);
  d.assemble(s);
  auto* held = std::get_if<std::unique_ptr<Operator>>(&A.form);
  auto* sparse = held ? dynamic_cast<SparseOperator*>(held->get()) : nullptr;
  if (!sparse) {
    auto made = std::make_unique<SparseOperator>();
    sparse = made.get();
    A.form = std::move(made);
  }
  sparse->factorise(d.matrix);
}

// R = m u'' - F on the prescribed rows; M is diagonal, so a does not enter
void Particles::reactions(double t, View q, View v, View, Out forces) const {
  Data& d = *data_;
  d.put(t, q, v);
  d.all_forces(t, d.f);
  for (int i = 0; i < prescribed(); ++i) {
    const Prescribed& p = d.system.prescribed[index(i)];
    forces[i] = d.mass[p.dof] * p.signal.second(t) - d.f[p.dof];
  }
}

void Particles::point_reactions(double, View, std::span<const PointRef> at, View f,
                                Out forces) const {
  const Data& d = *data_;
  for (std::size_t i = 0; i < at.size(); ++i) {
    expect_particle(d.particles, at[i]);
    for (int j = 0; j < prescribed(); ++j) {
      const int dof = d.system.prescribed[index(j)].dof;
      if (dof / 3 == at[i].feature) forces[j] -= f[3 * static_cast<Eigen::Index>(i) + dof % 3];
    }
  }
}

void Particles::points(double t, View q, std::span<const PointRef> at, Out x) const {
  Data& d = *data_;
  for (const Prescribed& p : d.system.prescribed) d.q[p.dof] = p.signal.value(t);
  for (std::size_t i = 0; i < at.size(); ++i) {
    expect_particle(d.particles, at[i]);
    for (int axis = 0; axis < 3; ++axis) {
      const int dof = 3 * at[i].feature + axis, j = d.index_of[index(dof)];
      x[3 * static_cast<Eigen::Index>(i) + axis] = (j >= 0 ? q[j] : d.q[dof]) + at[i].local[axis];
    }
  }
}

// The unit matrix: one block a particle, or one column a free axis where some are prescribed
void Particles::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const Data& d = *data_;
  const bool whole = d.system.prescribed.empty();
  J.width = whole ? 3 : 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  for (const PointRef& point : at) {
    expect_particle(d.particles, point);
    if (whole) {
      J.column.push_back(3 * point.feature);
      J.value.insert(J.value.end(), {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
    } else {
      for (int axis = 0; axis < 3; ++axis)
        if (const int j = d.index_of[index(3 * point.feature + axis)]; j >= 0) {
          J.column.push_back(j);
          for (int row = 0; row < 3; ++row) J.value.push_back(row == axis ? 1.0 : 0.0);
        }
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void Particles::point_drift(double t, View, std::span<const PointRef> at, Out drift) const {
  Data& d = *data_;
  drift.setZero();
  if (!d.moving) return;
  for (const Prescribed& p : d.system.prescribed) d.v[p.dof] = p.signal.rate(t);
  for (std::size_t i = 0; i < at.size(); ++i) {
    expect_particle(d.particles, at[i]);
    for (int axis = 0; axis < 3; ++axis)
      if (const int dof = 3 * at[i].feature + axis; d.index_of[index(dof)] < 0)
        drift[3 * static_cast<Eigen::Index>(i) + axis] = d.v[dof];
  }
}

std::unique_ptr<PointTable> Particles::table(std::span<const PointRef> at,
                                             std::span<const Vector3> direction) const {
  const Data& d = *data_;
  Vector rest(static_cast<Eigen::Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    expect_particle(d.particles, at[i]);
    rest[static_cast<Eigen::Index>(i)] = direction[i].dot(at[i].local);
    for (const Prescribed& p : d.system.prescribed)
      if (p.dof / 3 == at[i].feature && direction[i][p.dof % 3] != 0.0) {
        if (!p.signal.is_constant()) return nullptr;
        rest[static_cast<Eigen::Index>(i)] += direction[i][p.dof % 3] * p.signal.value(0.0);
      }
  }
  PointRows J;
  point_rows(Vector(), Vector(), at, J);
  return row_table(d.free(), J, direction, std::move(rest));
}

Energy Particles::energy(double, View q, View v) const {
  Data& d = *data_;
  d.put(0.0, q);
  return {0.5 * (d.mass_free.array() * v.array().square()).sum(), d.potential()};
}

// Each source with the prescribed degrees of freedom at rest where they are at t = 0 (damping: where they are); what their
// motion adds is "prescribed".
void Particles::power(double t, View q, View v, View w, std::span<double> by_source) const {
  Data& d = *data_;
  double unused = 0.0, moved = 0.0;
  const auto account = [&](int s) -> double& { return s < 0 ? unused : by_source[index(s)]; };
  const auto of = [&](auto&& fill) {
    d.f.setZero();
    fill();
    return d.dot(d.f, w);
  };
  d.put(0.0, q);
  account(d.elastic) = of([&] { d.elastic_force(d.f); });
  account(d.gravity) = of([&] { d.gravity_force(d.f); });
  account(d.load) = of([&] { d.load_force(t, d.f); });
  d.put(t, q, v);
  if (d.moving) {
    moved += of([&] { d.elastic_force(d.f); }) - account(d.elastic);
    moved += of([&] { d.damping_force(d.v, d.f); });
    for (const Prescribed& p : d.system.prescribed) d.v[p.dof] = 0.0;
  }
  const double damping = of([&] { d.damping_force(d.v, d.f); });
  account(d.damping) = damping;
  if (d.moving) moved -= damping;
  account(d.prescribed) = moved;
}

}  // namespace saltus
