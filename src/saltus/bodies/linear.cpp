// The equations of the system, f free and p prescribed degrees of freedom, C = D + rM M + rK K with
// the dashpots D:
//
//     M_ff q'' + C_ff v + K_ff q = F_f(t) - M_fp u'' - C_fp u' - K_fp u                     (1)
//     reactions = M_pf q'' + M_pp u'' + C_pf v + C_pp u' + K_pf q + K_pp u - F_p(t)         (2)
//
// The last three terms of (1) are the source "prescribed". K_ff = S + N, S symmetric, N skew: S has
// the potential q.Sq/2, -N q is the source "circulatory". C is not stored:
//     m M + c C + k K = (m + c rM) M + c D + (k + c rK) K
#include "saltus/bodies/linear.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/row_table.h"
#include "saltus/linear_algebra/factor_form.h"
#include "saltus/linear_algebra/sparse_product.h"

namespace saltus {
namespace {

// a A + b B + c C where a matrix with the factor 0 does not widen the pattern
SparseMatrix combine(double a, const SparseMatrix& A, double b, const SparseMatrix& B, double c,
                     const SparseMatrix& C) {
  const SparseMatrix none;
  return sum(a, a == 0.0 ? none : A, b, b == 0.0 ? none : B, c, c == 0.0 ? none : C);
}

void check(const LinearSystem& system) {
  const int n = system.mass.size();
  expects(n > 0, "a linear system needs a mass matrix");
  for (const SparseMatrix* A : {&system.damping, &system.stiffness})
    expects(A->empty() || A->size() == n,
            "the matrices of a linear system must have the same size");
  for (const SparseMatrix* A : {&system.mass, &system.damping, &system.stiffness})
    expects(A->finite(), "the entries of the matrices must be finite");
  expects(std::isfinite(system.rayleigh.mass) && std::isfinite(system.rayleigh.stiffness),
          "the Rayleigh coefficients must be finite");
  expects(system.load.size() == 0 || system.load.size() == n,
          "give one constant load per degree of freedom, or none");
  expects(system.load.allFinite(), "loads must be finite");
  expects(system.points.empty() || static_cast<int>(system.points.size()) == n,
          "give one point per degree of freedom, or none");
  for (const DofPoint& point : system.points)
    expects(point.place.allFinite() && std::abs(point.direction.norm() - 1.0) <= 1e-9,
            "points must be finite and their directions of length 1");
  expects(system.mass.symmetric(), "the mass matrix must be symmetric");
  expect_points(system.more_points, n);
}

// Entries (i, j) of M, C and K, row by row.
struct Links {
  struct Link {
    int j;
    double m = 0.0, c = 0.0, k = 0.0;
  };
  std::vector<int> offset;
  std::vector<Link> link;

  Links() = default;
  Links(int rows, const std::map<std::pair<int, int>, Link>& entries) : offset(index(rows) + 1, 0) {
    for (const auto& [place, entry] : entries) {
      ++offset[index(place.first) + 1];
      link.push_back(entry);
    }
    for (std::size_t i = 1; i < offset.size(); ++i) offset[i] += offset[i - 1];
  }
  std::span<const Link> of(int i) const {
    const int begin = offset[index(i)];
    return std::span(link).subspan(index(begin), index(offset[index(i) + 1] - begin));
  }
};

// Prescribed motion at one time.
struct Motion {
  double u, rate, second;
  Motion(const Signal& signal, double t)
      : u(signal.value(t)), rate(signal.rate(t)), second(signal.second(t)) {}
  /// m u'' + c u' + k u
  double force(const Links::Link& a) const { return a.m * second + a.c * rate + a.k * u; }
};

}  // namespace

struct Linear::Matrices {
  struct AppliedLoad {
    std::vector<std::pair<int, double>> on_free, on_held;
    Signal signal;
  };

  FreeDofs dofs;
  struct Part {
    SparseMatrix rows;
    SparseProduct product;
    Part() = default;
    explicit Part(SparseMatrix A) : rows(std::move(A)), product(rows) {}
  };
  Part M, D, K;                    ///< _ff
  SparseProduct S;                 ///< symmetric part of K, empty if K is symmetric
  Links free_held;                 ///< _fp by columns, one per prescribed motion
  Links held_free, held_held;      ///< _pf by rows, _pp by columns
  Vector load, held_load;          ///< constant part of F_f and F_p [N]
  std::vector<AppliedLoad> loads;  ///< loads that vary in time
  std::vector<DofPoint> points;
  std::vector<CoordinatePoint> more_points;
  Rayleigh rayleigh;
  unsigned traits = 0;
  std::vector<Source> sources;
  int elastic = -1, damping = -1, loaded = -1, prescribed = -1, circulatory = -1;

  explicit Matrices(LinearSystem system);
  void link(const LinearSystem& system);
  void apply(const LinearSystem& system);
  void name_sources(const LinearSystem& system);
  /// Coefficients of M, D and K in m M + c C + k K.
  Combination parts(Combination s) const {
    return {s.m + s.c * rayleigh.mass, s.c, s.k + s.c * rayleigh.stiffness};
  }
  DofPoint point(int dof) const { return points.empty() ? DofPoint{} : points[index(dof)]; }
  /// Value of a degree of freedom; of a prescribed one, at t.
  double place(int dof, double t, View q) const {
    const int at = dofs[dof];
    return at >= 0 ? q[at] : dofs.signal(dofs.held(dof)).value(t);
  }
  int checked(int dof) const {
    dofs.component(dof);
    return dof;
  }
  /// The coordinate point of `ref`, or null if it is the point of a degree of freedom.
  const CoordinatePoint* coordinate_point(const PointRef& ref) const {
    const int i = ref.feature - dofs.all();
    return i >= 0 && i < static_cast<int>(more_points.size()) ? &more_points[index(i)] : nullptr;
  }
};

Linear::Matrices::Matrices(LinearSystem system) {
  check(system);
  const int n = system.mass.size();
  dofs = FreeDofs(n, system.prescribed, system.loads,
                  {"linear system: ", "0 to " + std::to_string(n - 1)});
  rayleigh = system.rayleigh;
  if (dofs.prescribed() > 0) link(system);
  apply(system);
  name_sources(system);

  const auto part = [&](SparseMatrix&& A) {
    return Part(A.empty() || dofs.prescribed() == 0 ? std::move(A)
                                                    : A.part(dofs.dofs(), dofs.dofs()));
  };
  M = part(std::move(system.mass));
  D = part(std::move(system.damping));
  K = part(std::move(system.stiffness));
  points = std::move(system.points);
  more_points = std::move(system.more_points);
  if (const int bad = first_bad_pivot(M.rows); bad >= 0)
    expects(false, "the mass matrix is not positive definite: the pivot of degree of freedom " +
                       std::to_string(dofs.dofs()[index(bad)]) + " is not positive");

  const bool symmetric_stiffness = K.rows.symmetric();
  if (!symmetric_stiffness) {
    S = SparseProduct(sum(0.5, K.rows, 0.5, K.rows.transpose(), 0.0, {}));
    circulatory = add_account(sources, true, "circulatory", false);
  }
  traits = Trait::tangents | Trait::affine | Trait::constant_mass | Trait::fixed_points;
  if (!K.rows.empty()) traits = traits | Trait::second_order;
  if (symmetric_stiffness) traits = traits | Trait::potential;
  if (symmetric_stiffness && D.rows.symmetric()) traits = traits | Trait::symmetric;
  if (damping < 0) traits = traits | Trait::separable;
}

void Linear::Matrices::name_sources(const LinearSystem& system) {
  elastic = add_account(sources, !system.stiffness.empty(), "elastic", true);
  damping = add_account(
      sources, !system.damping.empty() || rayleigh.mass != 0.0 || rayleigh.stiffness != 0.0,
      "damping", false);
  loaded = add_account(sources, system.load.size() > 0 || !system.loads.empty(), "load", false);
  prescribed = add_account(sources, dofs.prescribed() > 0, "prescribed", false);
}

// The entries of M, C and K outside their _ff parts.
void Linear::Matrices::link(const LinearSystem& system) {
  std::map<std::pair<int, int>, Links::Link> fp, pf, pp;
  const auto collect = [&](const SparseMatrix& A, double m, double c, double k) {
    for (int i = 0; i < A.size(); ++i)
      for (int at = A.offset()[index(i)]; at < A.offset()[index(i) + 1]; ++at) {
        const int j = A.column()[index(at)];
        const int row = dofs.held(i), column = dofs.held(j);
        if (row < 0 && column < 0) continue;
        auto& links = row < 0 ? fp : column < 0 ? pf : pp;
        const int from = column < 0 ? row : column;
        const int to = row < 0 ? dofs[i] : column < 0 ? dofs[j] : row;
        auto& entry = links.try_emplace({from, to}, Links::Link{to}).first->second;
        entry.m += m * A.value()[index(at)];
        entry.c += c * A.value()[index(at)];
        entry.k += k * A.value()[index(at)];
      }
  };
  collect(system.mass, 1.0, rayleigh.mass, 0.0);
  collect(system.damping, 0.0, 1.0, 0.0);
  collect(system.stiffness, 0.0, rayleigh.stiffness, 1.0);
  const int held = dofs.prescribed();
  free_held = Links(held, fp);
  held_free = Links(held, pf);
  held_held = Links(held, pp);
}

void Linear::Matrices::apply(const LinearSystem& system) {
  load.setZero(dofs.free());
  held_load.setZero(dofs.prescribed());
  const auto add = [&](int dof, double force) {
    if (dofs[dof] >= 0)
      load[dofs[dof]] += force;
    else
      held_load[dofs.held(dof)] += force;
  };
  for (int i = 0; i < static_cast<int>(system.load.size()); ++i) add(i, system.load[i]);
  for (const Load& given : system.loads) {
    if (given.signal.is_constant()) {
      for (const auto& [dof, weight] : given.pattern) add(dof, weight * given.signal.value(0.0));
      continue;
    }
    AppliedLoad applied{{}, {}, given.signal};
    for (const auto& [dof, weight] : given.pattern) {
      if (dofs[dof] >= 0)
        applied.on_free.emplace_back(dofs[dof], weight);
      else
        applied.on_held.emplace_back(dofs.held(dof), weight);
    }
    loads.push_back(std::move(applied));
  }
}

Linear::Linear(LinearSystem system)
    : matrices_(std::make_unique<const Matrices>(std::move(system))) {}
Linear::~Linear() = default;

int Linear::positions() const { return matrices_->dofs.free(); }
unsigned Linear::traits() const { return matrices_->traits; }
std::span<const int> Linear::free_dofs() const { return matrices_->dofs.dofs(); }
int Linear::free_index(int dof) const { return matrices_->dofs.component(dof); }
Rayleigh Linear::rayleigh() const { return matrices_->rayleigh; }
int Linear::prescribed() const { return matrices_->dofs.prescribed(); }
std::span<const Source> Linear::sources() const { return matrices_->sources; }

void Linear::full(double t, View q, Out all) const {
  for (int i = 0; i < matrices_->dofs.all(); ++i) all[i] = matrices_->place(i, t, q);
}

void Linear::full_rate(double t, View v, Out all) const {
  const FreeDofs& dofs = matrices_->dofs;
  for (int i = 0; i < dofs.all(); ++i)
    all[i] = dofs[i] >= 0 ? v[dofs[i]] : dofs.signal(dofs.held(i)).rate(t);
}

void Linear::force(double t, View q, View v, Out f) const {
  const Matrices& d = *matrices_;
  f = d.load;
  for (const Matrices::AppliedLoad& load : d.loads) {
    const double size = load.signal.value(t);
    for (const auto& [i, weight] : load.on_free) f[i] += weight * size;
  }
  for (int j = 0; j < prescribed(); ++j) {
    const Motion motion(d.dofs.signal(j), t);
    for (const Links::Link& a : d.free_held.of(j)) f[a.j] -= motion.force(a);
  }
  const std::array terms{ProductTerm{&d.K.product, 1.0, q.data()},
                         ProductTerm{&d.K.product, d.rayleigh.stiffness, v.data()},
                         ProductTerm{&d.M.product, d.rayleigh.mass, v.data()},
                         ProductTerm{&d.D.product, 1.0, v.data()}};
  subtract_sum(terms, f);
}

void Linear::potential_force(double, View q, Out f) const {
  const Matrices& d = *matrices_;
  const ProductTerm term{d.S.zero() ? &d.K.product : &d.S, -1.0, q.data()};
  set_sum({&term, 1}, f);
}

void Linear::multiply(Combination s, double, View, View, View x, Out y) const {
  const Matrices& d = *matrices_;
  const Combination p = d.parts(s);
  const std::array terms{ProductTerm{&d.M.product, p.m, x.data()},
                         ProductTerm{&d.D.product, p.c, x.data()},
                         ProductTerm{&d.K.product, p.k, x.data()}};
  set_sum(terms, y);
}

void Linear::factorise(Combination s, double, View, View, Factor& A) const {
  const Matrices& d = *matrices_;
  const Combination p = d.parts(s);
  const std::array terms{std::pair{p.m, &d.M}, std::pair{p.c, &d.D}, std::pair{p.k, &d.K}};
  if (std::ranges::all_of(terms, [](const auto& term) {
        return term.first == 0.0 || term.second->product.diagonal();
      })) {
    Vector& inverse = diagonal_in(A);
    inverse.setZero(positions());
    for (const auto& [scale, part] : terms)
      if (scale != 0.0 && !part->product.zero()) inverse += scale * part->product.values();
    inverse = inverse.cwiseInverse();
    return;
  }
  operator_in<SparseOperator>(A).factorise(combine(p.m, d.M.rows, p.c, d.D.rows, p.k, d.K.rows));
}

// (2)
void Linear::reactions(double t, View q, View v, View a, Out forces) const {
  const Matrices& d = *matrices_;
  forces = -d.held_load;
  for (const Matrices::AppliedLoad& load : d.loads) {
    const double size = load.signal.value(t);
    for (const auto& [i, weight] : load.on_held) forces[i] -= weight * size;
  }
  for (int j = 0; j < prescribed(); ++j) {
    const Motion motion(d.dofs.signal(j), t);
    for (const Links::Link& e : d.held_held.of(j)) forces[e.j] += motion.force(e);
    double sum = 0.0;
    for (const Links::Link& e : d.held_free.of(j))
      sum += e.m * a[e.j] + e.c * v[e.j] + e.k * q[e.j];
    forces[j] += sum;
  }
}

void Linear::point_reactions(double, View, std::span<const PointRef> at, View f, Out forces) const {
  const Matrices& d = *matrices_;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto force = f.segment<3>(3 * static_cast<Eigen::Index>(i));
    const auto react = [&](int dof, const Vector3& direction) {
      if (const int held = d.dofs.held(dof); held >= 0) forces[held] -= direction.dot(force);
    };
    if (const CoordinatePoint* point = d.coordinate_point(at[i])) {
      for (const CoordinatePoint::Term& term : point->terms) react(term.dof, term.direction);
      continue;
    }
    const int dof = d.checked(at[i].feature);
    react(dof, d.point(dof).direction);
  }
}

void Linear::prescribed_columns(Combination s, double, View, View,
                                Eigen::Ref<Matrix> columns) const {
  const Matrices& d = *matrices_;
  columns.setZero();
  for (int j = 0; j < prescribed(); ++j) {
    for (const Links::Link& a : d.free_held.of(j))
      columns(a.j, j) = s.m * a.m + s.c * a.c + s.k * a.k;
    for (const Links::Link& a : d.held_held.of(j))
      columns(positions() + a.j, j) = s.m * a.m + s.c * a.c + s.k * a.k;
  }
}

void Linear::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const Matrices& d = *matrices_;
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto place = x.segment<3>(3 * static_cast<Eigen::Index>(i));
    if (const CoordinatePoint* point = d.coordinate_point(at[i])) {
      place = point->at([&](int dof) { return d.place(dof, t, q); });
      continue;
    }
    const int dof = d.checked(at[i].feature);
    const DofPoint point = d.point(dof);
    place = point.place + d.place(dof, t, q) * point.direction;
  }
}

void Linear::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const Matrices& d = *matrices_;
  J.width = 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  const auto add = [&](int dof, const Vector3& direction) {
    if (const int place = d.dofs[dof]; place >= 0) {
      J.column.push_back(place);
      J.value.insert(J.value.end(), direction.data(), direction.data() + 3);
    }
  };
  for (const PointRef& ref : at) {
    if (const CoordinatePoint* point = d.coordinate_point(ref)) {
      for (const CoordinatePoint::Term& term : point->terms) add(term.dof, term.direction);
    } else {
      const int dof = d.checked(ref.feature);
      add(dof, d.point(dof).direction);
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void Linear::point_drift(double t, View, std::span<const PointRef> at, Out x) const {
  const Matrices& d = *matrices_;
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto drift = x.segment<3>(3 * static_cast<Eigen::Index>(i));
    if (const CoordinatePoint* point = d.coordinate_point(at[i])) {
      drift = point->at([&](int dof) {
        const int held = d.dofs.held(dof);
        return held >= 0 ? d.dofs.signal(held).rate(t) : 0.0;
      }) - point->place;
      continue;
    }
    const int dof = d.checked(at[i].feature), held = d.dofs.held(dof);
    if (held >= 0)
      drift = d.dofs.signal(held).rate(t) * d.point(dof).direction;
    else
      drift.setZero();
  }
}

void Linear::breaks(Breaks& out) const {
  matrices_->dofs.breaks(out);
  breaks_of_loads(matrices_->loads, out);
}

std::unique_ptr<PointTable> Linear::table(std::span<const PointRef> at,
                                          std::span<const Vector3> direction) const {
  const Matrices& d = *matrices_;
  const auto rows = static_cast<Eigen::Index>(at.size());
  const auto own = [&](const PointRef& ref) { return d.coordinate_point(ref) != nullptr; };
  if (std::ranges::any_of(at, own)) return coordinate_table(at, direction);
  std::vector<int> column;
  Vector scale(rows), rest(rows);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const int dof = d.checked(at[i].feature);
    if (d.dofs[dof] < 0) return nullptr;
    const DofPoint point = d.point(dof);
    column.push_back(d.dofs[dof]);
    scale[static_cast<Eigen::Index>(i)] = direction[i].dot(point.direction);
    rest[static_cast<Eigen::Index>(i)] = direction[i].dot(point.place);
  }
  return pick_table(positions(), std::move(column), std::move(scale), std::move(rest));
}

// Rows with any number of entries. Null if one of their coordinates is prescribed.
std::unique_ptr<PointTable> Linear::coordinate_table(std::span<const PointRef> at,
                                                     std::span<const Vector3> direction) const {
  const Matrices& d = *matrices_;
  for (const PointRef& ref : at)
    if (const CoordinatePoint* point = d.coordinate_point(ref)) {
      for (const CoordinatePoint::Term& term : point->terms)
        if (d.dofs[term.dof] < 0) return nullptr;
    } else if (d.dofs[d.checked(ref.feature)] < 0) {
      return nullptr;
    }
  Vector x(3 * static_cast<Eigen::Index>(at.size())), rest(static_cast<Eigen::Index>(at.size()));
  const Vector q = Vector::Zero(positions());
  points(0.0, q, at, x);
  for (Eigen::Index i = 0; i < rest.size(); ++i)
    rest[i] = direction[static_cast<std::size_t>(i)].dot(x.segment<3>(3 * i));
  PointRows J;
  point_rows(q, q, at, J);
  return row_table(positions(), J, direction, std::move(rest));
}

Energy Linear::energy(double, View q, View v) const {
  return {0.5 * matrices_->M.product.inner(v, v), 0.5 * matrices_->K.product.inner(q, q)};
}

void Linear::power(double t, std::optional<double>, View q, View v, View w,
                   std::span<double> by_source) const {
  const Matrices& d = *matrices_;
  const auto set = [&](int source, double watts) {
    if (source >= 0) by_source[index(source)] = watts;
  };
  const double stiff = d.K.product.inner(w, q);
  const double elastic = d.S.zero() ? stiff : d.S.inner(w, q);
  set(d.elastic, -elastic);
  set(d.circulatory, elastic - stiff);
  if (d.damping >= 0) {
    double watts = d.D.product.inner(w, v);
    if (d.rayleigh.mass != 0.0) watts += d.rayleigh.mass * d.M.product.inner(w, v);
    if (d.rayleigh.stiffness != 0.0) watts += d.rayleigh.stiffness * d.K.product.inner(w, v);
    set(d.damping, -watts);
  }
  if (d.loaded >= 0) {
    double watts = d.load.dot(w);
    for (const Matrices::AppliedLoad& load : d.loads) {
      double sum = 0.0;
      for (const auto& [i, weight] : load.on_free) sum += weight * w[i];
      watts += sum * load.signal.value(t);
    }
    set(d.loaded, watts);
  }
  if (d.prescribed >= 0) {
    double watts = 0.0;
    for (int j = 0; j < prescribed(); ++j) {
      const Motion motion(d.dofs.signal(j), t);
      for (const Links::Link& a : d.free_held.of(j)) watts -= motion.force(a) * w[a.j];
    }
    set(d.prescribed, watts);
  }
}

}  // namespace saltus
