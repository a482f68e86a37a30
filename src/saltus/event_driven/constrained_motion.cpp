#include "saltus/event_driven/constrained_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

/// Where so little of its slip at the start of the step is left, a contact slides on as it did: round-off would turn it.
constexpr double kTail = 1e-3;
/// Of the velocities in play: the round-off of a slip.
constexpr double kStillSlip = 1e-12;
/// Pivots of what is none beside forces that do the same, and the part that a contact must have in them.
constexpr double kNull = 1e-10, kIn = 1e-6;
/// Of the largest force: what the laws leave of the least force that is watched again by itself.
constexpr double kSpare = 1e-2;

/// Round-off of a velocity in force_sizes(), of which 1e-10 is taken for nothing.
constexpr double kRateRound = 4.0 * 0x1p-52 / 1e-10;

}  // namespace

namespace {

/// Pivots of a matrix with ones on its diagonal: above the first all rows are independent without doubt, below the second
/// they are round-off.
constexpr double kSound = 1e-5, kNothing = 1e-11;

Vector scale_of(const Matrix& S) {
  return S.diagonal().cwiseAbs().unaryExpr(
      [](double x) { return x > 0.0 ? 1.0 / std::sqrt(x) : 1.0; });
}

/// One group of rows that share bodies.
int solve_block(const Matrix& S, const Vector& rhs, const Vector& scale, Vector& lambda) {
  const RankedSolution found = ranked_solution(scale.asDiagonal() * S * scale.asDiagonal(),
                                               scale.cwiseProduct(rhs), kNothing);
  if (!(found.pivot > kNothing)) {
    lambda.setZero(rhs.size());
    return 0;
  }
  lambda = scale.cwiseProduct(found.x);
  return found.rank;
}

/// True: all rows are independent, and lambda is found.
bool solve_sound(const Matrix& S, const Vector& rhs, const Vector& scale, Vector& lambda) {
  if (rhs.size() > kFewUnknowns) return false;
  const FewByFew A = scale.asDiagonal() * S * scale.asDiagonal();
  if (!solve_few(A, scale.cwiseProduct(rhs), kSound, lambda)) return false;
  lambda.array() *= scale.array();
  return true;
}

}  // namespace

Vector row_scale(const Matrix& B, const Matrix& X) {
  Vector scale(B.rows());
  for (Eigen::Index r = 0; r < B.rows(); ++r) {
    const double size = std::abs(B.row(r).dot(X.col(r)));
    scale[r] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
  }
  return scale;
}

std::vector<Eigen::Index> row_groups(const Matrix& S) {
  std::vector<Eigen::Index> group(static_cast<std::size_t>(S.rows()));
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    group[static_cast<std::size_t>(i)] = i;
    for (Eigen::Index j = 0; j < i; ++j) {
      const auto a = group[static_cast<std::size_t>(j)], b = group[static_cast<std::size_t>(i)];
      if (a == b || (S(i, j) == 0.0 && S(j, i) == 0.0)) continue;
      for (Eigen::Index k = 0; k <= i; ++k)
        if (group[static_cast<std::size_t>(k)] == std::max(a, b))
          group[static_cast<std::size_t>(k)] = std::min(a, b);
    }
  }
  return group;
}

int solve_rows(const Matrix& S, const Vector& rhs, Vector& lambda, const Vector& given) {
  const auto m = rhs.size();
  lambda.resize(m);
  if (m == 0) return 0;
  const Vector scale = given.size() == m ? given : scale_of(S);
  if (m == 1) {
    const bool held = std::abs(S(0, 0)) * scale[0] * scale[0] > kNothing;
    lambda[0] = held ? rhs[0] / S(0, 0) : 0.0;
    return held ? 1 : 0;
  }
  if (solve_sound(S, rhs, scale, lambda)) return static_cast<int>(m);
  // Rows that no body joins have nothing to do with each other.
  const std::vector<Eigen::Index> group = row_groups(S);
  int rank = 0;
  std::vector<Eigen::Index> rows;
  Matrix part;
  Vector r, x, part_scale;
  for (Eigen::Index g = 0; g < m; ++g) {
    rows.clear();
    for (Eigen::Index i = g; i < m; ++i)
      if (group[static_cast<std::size_t>(i)] == g) rows.push_back(i);
    if (rows.empty()) continue;
    if (std::ssize(rows) == m) return solve_block(S, rhs, scale, lambda);
    part = S(rows, rows);
    r = rhs(rows);
    part_scale = scale(rows);
    if (solve_sound(part, r, part_scale, x))
      rank += static_cast<int>(r.size());
    else
      rank += solve_block(part, r, part_scale, x);
    lambda(rows) = x;
  }
  return rank;
}

ConstrainedMotion::ConstrainedMotion(const Model& model) : model_(model), contacts_(model) {
  const auto groups = model.groups();
  first_.assign(contacts_.first().begin(), contacts_.first().end());
  n_ = first_.back();
  m_joints_ = contacts_.joints().rows();
  M_.resize(groups.size());
  A_.resize(groups.size());
  radius_.assign(at(n_), 1.0);
  bool moved = false, turning = false;
  for (const Group& group : groups) {
    const Dynamics& body = *group.dynamics;
    constant_.push_back(has(body.traits(), Trait::constant_mass) ||
                        has(body.traits(), Trait::affine));
    moved = moved || body.velocities() == 0 || body.prescribed() > 0;
    const bool fixed = has(body.traits(), Trait::fixed_points);
    turning = turning || (body.velocities() > 0 && !fixed);
    analytic_joints_ =
        analytic_joints_ && (has(body.traits(), Trait::rigid) || body.velocities() == 0 ||
                             (fixed && body.prescribed() == 0));
  }
  joints_move_ = m_joints_ > 0 && (moved || std::ranges::any_of(model.couplings(),
                                                                [](const JointCoupling& coupling) {
                                                                  return coupling.value != nullptr;
                                                                }));
  jumps_ = model.breaks().jumps;
  still_rows_ = !moved && !turning && !contacts_.detects() && model.joint_laws().empty();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const RigidData* const rigid = groups[g].dynamics->rigid();
    rigid_.push_back(rigid != nullptr);
    for (std::size_t b = 0; rigid && b < rigid->mass.size(); ++b) {
      const double r = std::sqrt(rigid->inertia[b].trace() / (2.0 * rigid->mass[b]));
      if (std::isfinite(r) && r > 0.0)
        std::fill_n(radius_.begin() + first_[g] + 6 * static_cast<std::ptrdiff_t>(b) + 3, 3, r);
    }
  }
  springs_ =
      std::ranges::any_of(model.laws(), [](const AnyLaw& law) { return !law->set_valued(); });
  at_.resize(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    at_[g].q.setZero(groups[g].dynamics->positions());
    at_[g].v.setZero(groups[g].dynamics->velocities());
  }
  shifted_ = start_ = at_;
  f_ = a_ = scratch_ = Vector::Zero(n_);
}
ConstrainedMotion::~ConstrainedMotion() = default;

void ConstrainedMotion::start(std::span<const GroupState> groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    start_[g].q = groups[g].q;
    start_[g].v = groups[g].v;
  }
}

void ConstrainedMotion::take_up(double t) {
  if (jumps_.empty()) return;
  constexpr double kEver = std::numeric_limits<double>::infinity();
  const auto next = std::ranges::upper_bound(jumps_, t);
  since_ = -kEver;
  if (next != jumps_.begin()) {
    const double last = *(next - 1);
    since_ = std::nextafter(last + Breaks::kSameInstant * std::abs(last), kEver);
  }
  until_ = next == jumps_.end() ? kEver : std::nextafter(*next, -kEver);
}

void ConstrainedMotion::set_modes(std::span<const ContactMode> modes) {
  modes_.assign(modes.begin(), modes.end());
  index_.assign(modes_.size(), -1);
  force_.assign(modes_.size(), Vector3::Zero());
  rate_ = drift_ = unit_ = force_;
  slip_.assign(modes_.size(), 0.0);
  still_ = slip_;
}

void ConstrainedMotion::mark_slips(double share, View motion) {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    slip_[k] = std::hypot(rate_[k][1], rate_[k][2]);
    still_[k] = 0.0;
    for (int a = 1; index_[k] >= 0 && a <= contacts_.contact(at(index_[k])).tangents; ++a)
      still_[k] = std::max(still_[k], kStillSlip * contacts_.row_size(at(index_[k]), a, motion));
  }
  share_ = share;
}

double ConstrainedMotion::slip_rate(View acceleration) const {
  double rate = 0.0;
  for (std::size_t k = 0; k < modes_.size(); ++k)
    for (int a = 1; index_[k] >= 0 && a <= contacts_.contact(at(index_[k])).tangents; ++a)
      if (slip_[k] > still_[k])
        rate = std::max(rate, contacts_.row_size(at(index_[k]), a, acceleration) / slip_[k]);
  return rate;
}

void ConstrainedMotion::move(View w, std::vector<GroupState>& groups) const {
  for (std::size_t g = 0; g < start_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    if (body.velocities() == 0)
      groups[g].q = start_[g].q;
    else
      body.retract(start_[g].q, w.segment(first_[g], body.velocities()), groups[g].q);
  }
}

void ConstrainedMotion::put(double t, View w, View v) {
  t_ = inside(t);
  rows_here_ = bias_here_ = false;
  move(w, at_);
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    at_[g].v = v.segment(first_[g], body.velocities());
    if (body.velocities() > 0 &&
        (!constant_[g] || std::holds_alternative<std::monostate>(M_[g].form)))
      body.factorise({1.0, 0.0, 0.0}, t_, at_[g].q, at_[g].v, M_[g]);
  }
}

void ConstrainedMotion::look(double t, View w, View v) {
  put(t, w, v);
  contacts_.find(t_, at_);
}

void ConstrainedMotion::go(double t, View w, View v) {
  put(t, w, v);
  if (!modes_.empty() || springs_) {
    contacts_.find_rows(t_, at_);
    rows_here_ = !model_.joint_laws().empty();
    read_modes();
  }
}

// Rates of the modes, and what moves by itself in them.
void ConstrainedMotion::read_modes() {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    index_[k] = contacts_.index_of(modes_[k].key);
    force_[k].setZero();
    rate_[k].setZero();
    drift_[k].setZero();
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    for (int a = 0; a <= contacts_.contact(i).tangents; ++a) {
      scratch_.setZero();
      contacts_.add_row(i, a, 1.0, scratch_);
      double own = 0.0;
      for (std::size_t g = 0; g < at_.size(); ++g)
        own += scratch_.segment(first_[g], at_[g].v.size()).dot(at_[g].v);
      rate_[k][a] = contacts_.rate(i, a);
      drift_[k][a] = rate_[k][a] - own;
    }
  }
}

// mu f(s), or the bound f(s) of a relay
double ConstrainedMotion::strength(std::size_t k, double slip) const {
  return contacts_.law(at(index_[k])).strength(slip);
}

// F of the bodies, of springs that press and of relays that slide.
void ConstrainedMotion::applied(Out f) {
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    if (body.velocities() > 0)
      body.force(t_, at_[g].q, at_[g].v, f.segment(first_[g], body.velocities()));
  }
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    const ContactLaw& law = contacts_.law(i);
    if (!law.gives_force(modes_[k].kind == ContactMode::Kind::slides)) continue;
    // Beyond the end of the contact the law goes on as smoothly as it can: where it ends is located.
    force_[k][0] = law.force(contacts_.gap(i), rate_[k][0], modes_[k].direction[0]);
    contacts_.add_row(i, 0, force_[k][0], f);
  }
}

double ConstrainedMotion::fastest(View v) const {
  double most = 0.0;
  for (std::size_t g = 0; g < rigid_.size(); ++g)
    for (int i = first_[g]; i + 3 <= first_[g + 1]; i += rigid_[g] ? 6 : 3)
      most = std::max(most, v.segment<3>(i).norm());
  return most;
}

double ConstrainedMotion::fastest_turn(View v) const {
  double most = 0.0;
  for (std::size_t g = 0; g < rigid_.size(); ++g)
    for (int i = first_[g]; rigid_[g] && i < first_[g + 1]; i += 6)
      most = std::max(most, v.segment<3>(i + 3).norm());
  return most;
}

double ConstrainedMotion::extent() const {
  double most = 0.0;
  for (std::size_t g = 0; g < at_.size(); ++g) most = std::max(most, extent(g));
  return most;
}

double ConstrainedMotion::extent(std::size_t g) const {
  double most = 0.0;
  for (Eigen::Index i = 0; i < at_[g].q.size(); ++i)
    if (!rigid_[g] || i % 7 < 3) most = std::max(most, std::abs(at_[g].q[i]));
  return most;
}

const Vector& ConstrainedMotion::free_acceleration() {
  applied(f_);
  a_ = f_;
  solve_mass(a_);
  return a_;
}

void ConstrainedMotion::solve_mass(Eigen::Ref<Matrix> X) {
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0) solve(M_[g], X.middleRows(first_[g], n));
}

void ConstrainedMotion::joint_rows_here() {
  if (rows_here_) return;
  contacts_.joints().make_rows(t_, [&](int m) -> const Vector& { return at_[at(m)].q; });
  rows_here_ = true;
}

void ConstrainedMotion::joint_rates(Vector& rate) {
  joint_rows_here();
  rate = contacts_.joints().drift0();
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (at_[g].v.size() > 0) contacts_.joints().multiply_add(static_cast<int>(g), at_[g].v, rate);
}

void ConstrainedMotion::joints_here(Matrix& G, Vector& rate) {
  joint_rates(rate);
  G.resize(m_joints_, n_);
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (at_[g].v.size() > 0)
      contacts_.joints().dense(static_cast<int>(g), G.middleCols(first_[g], at_[g].v.size()));
}

void ConstrainedMotion::add_joint_loads(const Vector& L, double weight,
                                        std::span<std::array<Vector3, 2>> loads) {
  joint_rows_here();
  const JointSystem& joints = contacts_.joints();
  JointRows rows;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto [first, count] = joints.rows_of(static_cast<int>(i));
    if (count == 0) continue;
    const auto [a, b] = joints.frames(static_cast<int>(i));
    saltus::joint_rows(model_.joints()[i].kind, model_.joints()[i].length, a, b, rows);
    for (int k = 0; k < count; ++k) {
      const JointRow& row = rows.row[at(k)];
      loads[i][row.spin ? 1 : 0] += weight * L[first + k] * row.direction;
    }
  }
}

// Groups after the time s with the velocities of the place.
void ConstrainedMotion::shift(double s, std::vector<GroupState>& groups) const {
  for (std::size_t g = 0; g < at_.size(); ++g) {
    const Dynamics& body = *model_.groups()[g].dynamics;
    groups[g].v = at_[g].v;
    if (body.velocities() == 0)
      groups[g].q = at_[g].q;
    else
      body.retract(at_[g].q, s * at_[g].v, groups[g].q);
  }
}

// After joints_here(): analytic where the system knows the groups, else a difference of G v + d.
void ConstrainedMotion::joint_bias(Vector& gamma) {
  JointSystem& joints = contacts_.joints();
  gamma.resize(m_joints_);
  if (analytic_joints_) {
    joints.bias(
        t_, difference(), [&](int m) -> const Vector& { return at_[at(m)].q; },
        [&](int m) -> const Vector& { return at_[at(m)].v; }, gamma);
    bias_here_ = true;
    return;
  }
  gamma.setZero();
  Vector rate(m_joints_);
  const Difference by = difference();
  for (std::size_t k = 0; k < Difference::kPoints; ++k) {
    shift(by.after(k), shifted_);
    joints.make_rows(by.time(k), [&](int m) -> const Vector& { return shifted_[at(m)].q; });
    rate = joints.drift0();
    for (std::size_t g = 0; g < at_.size(); ++g)
      if (at_[g].v.size() > 0) joints.multiply_add(static_cast<int>(g), at_[g].v, rate);
    gamma += by.weight(k) * rate;
  }
  joints.make_rows(t_, [&](int m) -> const Vector& { return at_[at(m)].q; });
  joints.put_exact(t_, by, gamma);
}

double ConstrainedMotion::joint_gaps(Vector& g) {
  g.setZero(m_joints_);
  if (m_joints_ == 0) return 0.0;
  contacts_.joints().gaps(
      t_, [&](int m) -> const Vector& { return at_[at(m)].q; }, g);
  return g.cwiseAbs().maxCoeff();
}

// Of laws on coordinates of joints. False: some contact is none of these.
bool ConstrainedMotion::coordinate_bias(std::span<const std::uint64_t> keys,
                                        std::span<const int> rows, Vector& bias) {
  JointSystem& joints = contacts_.joints();
  if (!bias_here_) {
    Vector held(m_joints_);
    joint_bias(held);
  }
  Eigen::Index row = 0;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const int i = contacts_.index_of(keys[c]);
    if (i < 0 || contacts_.contact(at(i)).joint_law < 0 || rows[c] != 1) return false;
    const JointLaw& law = model_.joint_laws()[at(contacts_.contact(at(i)).joint_law)];
    bias[row++] = law.sign * joints.coordinate_bias(law.joint, law.coordinate);
  }
  return true;
}

void ConstrainedMotion::contact_bias(std::span<const std::uint64_t> keys, std::span<const int> rows,
                                     Vector& bias) {
  int m = 0;
  for (const int r : rows) m += r;
  bias.setZero(m);
  if (still_rows_ || m == 0) return;
  if (analytic_joints_ && !model_.joint_laws().empty() && coordinate_bias(keys, rows, bias)) return;
  // Rates of every row at the four places; not a number where the contact is not known.
  Matrix rate = Matrix::Constant(m, 4, std::numeric_limits<double>::quiet_NaN());
  const Difference by = difference();
  for (std::size_t k = 0; k < Difference::kPoints; ++k) {
    shift(by.after(k), shifted_);
    contacts_.find_rows(by.time(k), shifted_);
    int row = 0;
    for (std::size_t c = 0; c < keys.size(); ++c) {
      const int i = contacts_.index_of(keys[c]);
      for (int a = 0; a < rows[c]; ++a, ++row)
        if (i >= 0) rate(row, static_cast<Eigen::Index>(k)) = contacts_.rate(at(i), a);
    }
  }
  contacts_.find_rows(t_, at_);
  for (int row = 0; row < m; ++row) {
    double sum = 0.0;
    for (std::size_t k = 0; k < Difference::kPoints; ++k)
      sum += by.weight(k) * rate(row, static_cast<Eigen::Index>(k));
    if (!std::isfinite(sum))  // seen from near
      sum = (rate(row, 0) - rate(row, 1)) / (by.after(0) - by.after(1));
    bias[row] = std::isfinite(sum) ? sum : 0.0;
  }
}

// B a = -bias on the active rows of contacts; D the directions of their forces.
void ConstrainedMotion::contact_rows(bool with_bias) {
  active_.clear();
  std::vector<std::uint64_t> keys;
  std::vector<int> rows;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (index_[k] < 0) continue;
    const auto i = at(index_[k]);
    const int held = contacts_.law(i).held_rows(contacts_.contact(i).tangents,
                                                modes_[k].kind == ContactMode::Kind::sticks);
    if (held == 0) continue;
    for (int a = 0; a < held; ++a) active_.push_back({k, a});
    keys.push_back(modes_[k].key);
    rows.push_back(held);
  }
  const auto m = static_cast<Eigen::Index>(active_.size());
  B_.resize(m, n_);
  D_.resize(n_, m);
  if (with_bias) contact_bias(keys, rows, bias_);
  for (std::size_t r = 0; r < active_.size(); ++r) {
    const auto [k, a] = active_[r];
    const auto i = at(index_[k]);
    const auto row = static_cast<Eigen::Index>(r);
    scratch_.setZero();
    contacts_.add_row(i, a, 1.0, scratch_);
    B_.row(row) = scratch_;
    if (modes_[k].kind == ContactMode::Kind::slides) {
      const int tangents = contacts_.contact(i).tangents;
      const auto& d0 = modes_[k].direction;
      std::array<double, 2> d{d0[0], tangents > 1 ? d0[1] : 0.0};
      const double u1 = rate_[k][1], u2 = tangents > 1 ? rate_[k][2] : 0.0;
      const double slip = std::hypot(u1, u2);
      // Behind the end of the slip its direction goes on as it was, so that the end can be located.
      const double across = std::abs(u1 * d0[1] - u2 * d0[0]);
      const double along = u1 * d0[0] + u2 * d0[1];
      // A slip that begins: beside itself, lest round-off turns it, which no step could turn back.
      const double beside = slip_[k] > still_[k] ? slip_[k] : slip;
      if (tangents > 1 && slip > still_[k] && along > kTail * slip_[k] && along > 0.1 * slip &&
          across > share_ * beside)
        d = {u1 / slip, u2 / slip};
      const double mu = strength(k, slip);
      for (int b = 0; b < tangents; ++b) contacts_.add_row(i, 1 + b, -mu * d[at(b)], scratch_);
      unit_[k] = {1.0, -mu * d[0], -mu * d[1]};
    }
    D_.col(row) = scratch_;
  }
}

// Contacts and joints together, joints first.
void ConstrainedMotion::make_constraints() {
  contact_rows(false);
  const auto m = B_.rows();
  BA_.resize(m_joints_ + m, n_);
  DA_.resize(n_, m_joints_ + m);
  if (m_joints_ > 0) {
    joints_here(S_, joint_rate_);
    BA_.topRows(m_joints_) = S_;
    DA_.leftCols(m_joints_) = S_.transpose();
  }
  BA_.bottomRows(m) = B_;
  DA_.rightCols(m) = D_;
}

void ConstrainedMotion::factor_joints(bool anew) {
  JointSystem& joints = contacts_.joints();
  const auto factors = [&](int m) -> const Factor& { return M_[at(m)]; };
  if (joints.loops() && (anew || !chosen_)) joints.find_dependent(factors);
  chosen_ = true;
  joints.factorise_kept(factors);
}

void ConstrainedMotion::joint_rate_of(View v, Out rate) {
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0)
      contacts_.joints().multiply_add(static_cast<int>(g), v.segment(first_[g], n), rate);
}

void ConstrainedMotion::pull(View L, Out x) {
  x.setZero();
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0)
      contacts_.joints().transpose_add(static_cast<int>(g), L, x.segment(first_[g], n));
  solve_mass(x);
}

void ConstrainedMotion::free_of_joints(Matrix& X, Matrix& R) {
  R.setZero(m_joints_, X.cols());
  if (m_joints_ == 0) return;
  for (Eigen::Index r = 0; r < X.cols(); ++r) joint_rate_of(X.col(r), R.col(r));
  contacts_.joints().solve(R);
  for (Eigen::Index r = 0; r < X.cols(); ++r) {
    pull(R.col(r), scratch_);
    X.col(r) -= scratch_;
  }
}

// a += M^-1 G^T L,  G a = -gamma.  Which rows depend on others is chosen once in a step, and again where that does not hold.
void ConstrainedMotion::take_joints() {
  for (bool anew = !chosen_;; anew = true) {
    factor_joints(anew);
    rhs_ = joint_bias_;
    joint_rate_of(a_, rhs_);
    const double size = rhs_.cwiseAbs().maxCoeff();
    joint_forces_ = -rhs_;
    contacts_.joints().solve(joint_forces_);
    pull(joint_forces_, scratch_);
    scratch_ += a_;
    if (!anew && contacts_.joints().loops()) {
      rhs_ = joint_bias_;
      joint_rate_of(scratch_, rhs_);
      if (!(rhs_.cwiseAbs().maxCoeff() <= 1e-8 * size)) continue;
    }
    a_.swap(scratch_);
    return;
  }
}

void ConstrainedMotion::rates(double t, View w, View v, Out dw, Out dv) {
  ++evaluations_;
  go(t, w, v);
  for (std::size_t g = 0; g < at_.size(); ++g)
    if (const auto n = at_[g].v.size(); n > 0)
      model_.groups()[g].dynamics->increment_rate(w.segment(first_[g], n), at_[g].v,
                                                  dw.segment(first_[g], n));
  free_acceleration();
  if (m_joints_ > 0) {
    joint_rows_here();
    joint_bias(joint_bias_);
    take_joints();
  }
  contact_rows(true);
  shared_ = false;
  const auto m = B_.rows();
  if (m == 0) {
    dv = a_;
    return;
  }
  // X = M^-1 D, without what joints take of it
  X_ = D_;
  solve_mass(X_);
  scale_ = row_scale(B_, X_);
  free_of_joints(X_, R_);
  S_ = B_.lazyProduct(X_);
  rhs_ = -bias_;
  rhs_.noalias() -= B_ * a_;
  shared_ = solve_rows(S_, rhs_, lambda_, scale_) < m;
  a_.noalias() += X_ * lambda_;
  if (m_joints_ > 0) joint_forces_.noalias() -= R_ * lambda_;
  for (std::size_t r = 0; r < active_.size(); ++r) {
    const auto [k, b] = active_[r];
    const double x = lambda_[static_cast<Eigen::Index>(r)];
    if (modes_[k].kind == ContactMode::Kind::slides)
      force_[k] = x * unit_[k];
    else
      force_[k][b] = x;
  }
  dv = a_;
}

// What the force of a row is the difference of, as if it were alone: (|B| |M^-1 F| + |B| |what joints add| + |b|)/S, and what
// round-off leaves of b as a difference, eps |B| |v|/e. One of many that contacts in a row load each other with takes the
// largest of its group.
void ConstrainedMotion::force_sizes(std::vector<double>& sizes) {
  sizes.assign(modes_.size(), 0.0);
  for (std::size_t k = 0; k < modes_.size(); ++k)
    if (index_[k] >= 0) sizes[k] = spring_size(k);
  const auto m = B_.rows();
  if (m == 0) return;
  Vector free;
  applied_acceleration(free);
  Vector terms = a_ - free;
  terms.noalias() -= X_ * lambda_;
  terms = terms.cwiseAbs() + free.cwiseAbs();
  if (differences())
    for (std::size_t g = 0; g < at_.size(); ++g)
      terms.segment(first_[g], at_[g].v.size()) += kRateRound / e_ * at_[g].v.cwiseAbs();
  const std::vector<Eigen::Index> group = row_groups(S_);
  Vector most = Vector::Zero(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const double held = std::abs(S_(r, r)) * scale_[r] * scale_[r];
    const double alone = held > kNothing ? (B_.row(r).cwiseAbs().dot(terms) + std::abs(bias_[r])) /
                                               std::abs(S_(r, r))
                                         : 0.0;
    double& size = most[group[static_cast<std::size_t>(r)]];
    size = std::max({size, alone, std::abs(lambda_[r])});
  }
  for (Eigen::Index r = 0; r < m; ++r) {
    double& size = sizes[active_[static_cast<std::size_t>(r)].mode];
    size = std::max(size, most[group[static_cast<std::size_t>(r)]]);
  }
}

// The same of a spring.
double ConstrainedMotion::spring_size(std::size_t k) const {
  const ContactLaw& law = contacts_.law(at(index_[k]));
  if (law.set_valued()) return 0.0;
  return std::abs(force_[k][0]) +
         2.0 * std::abs(law.damping_force(contacts_.gap(at(index_[k])), rate_[k][0]));
}

// K of (D^T P M^-1 D) K = 0, D^T P M^-1 D scaled to ones on its diagonal.
std::vector<ConstrainedMotion::Share> ConstrainedMotion::shares() const {
  std::vector<Share> found;
  if (!shared_) return found;
  Matrix A = D_.transpose() * X_;
  const Vector scale = scale_of(A);
  A = scale.asDiagonal() * A * scale.asDiagonal();
  const Matrix free = scale.asDiagonal() * kernel(A, kNull);
  if (free.cols() == 0) return found;
  // Columns that meet in a mode share.
  std::vector<std::size_t> of(modes_.size());  // 1 more than the share of each mode, 0: none
  std::vector<std::vector<Eigen::Index>> columns;
  for (Eigen::Index j = 0; j < free.cols(); ++j) {
    const double least = kIn * free.col(j).cwiseAbs().maxCoeff();
    columns.push_back({j});
    const std::size_t now = columns.size();
    for (std::size_t r = 0; r < active_.size(); ++r) {
      std::size_t& share = of[active_[r].mode];
      if (std::abs(free(static_cast<Eigen::Index>(r), j)) < least || share == now) continue;
      if (const std::size_t other = share; other != 0) {
        auto& mine = columns[now - 1];
        mine.insert(mine.end(), columns[other - 1].begin(), columns[other - 1].end());
        columns[other - 1].clear();
        std::ranges::replace(of, other, now);
      }
      share = now;
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].empty()) continue;
    Share share;
    std::ranges::sort(columns[c]);
    for (std::size_t r = 0; r < active_.size(); ++r) {
      const auto [k, a] = active_[r];
      if (of[k] != c + 1) continue;
      if (a == 0) {
        share.modes.push_back(k);
        if (contacts_.law(at(index_[k])).bounded())
          share.laws.push_back(share_law(k, static_cast<int>(share.rows.size())));
      }
      share.rows.push_back(static_cast<Eigen::Index>(r));
    }
    share.K = orthonormal(free(share.rows, columns[c]));
    found.push_back(std::move(share));
  }
  return found;
}

// Of mode k, whose rows of lambda begin at `first`.
ShareLaw ConstrainedMotion::share_law(std::size_t k, int first) const {
  if (contacts_.law(at(index_[k])).slides_on_normal())
    return {ShareLaw::Kind::bounded, first, 1, strength(k, 0.0)};
  const int tangents = contacts_.contact(at(index_[k])).tangents;
  if (modes_[k].kind != ContactMode::Kind::sticks || tangents == 0)
    return {ShareLaw::Kind::presses, first, 1, 0.0};
  return {ShareLaw::Kind::cone, first, 1 + tangents, strength(k, 0.0)};
}

bool ConstrainedMotion::shared(std::size_t mode) const {
  return std::ranges::any_of(shares(), [&](const Share& share) {
    return std::ranges::find(share.modes, mode) != share.modes.end();
  });
}

void ConstrainedMotion::mark_shared(std::size_t k, std::span<ContactMode> modes) const {
  for (const Share& share : shares()) {
    const bool breaks = share_left(lambda_(share.rows), share.laws) < 0.0;
    if (breaks || std::ranges::find(share.modes, k) != share.modes.end())
      for (const std::size_t mode : share.modes) modes[mode].shared = true;
  }
}

void ConstrainedMotion::forget_shared(std::span<ContactMode> modes) const {
  for (const Share& share : shares()) {
    const Vector lambda = lambda_(share.rows);
    const double size = lambda.cwiseAbs().maxCoeff();
    if (share_left(lambda, share.laws) > kSpare * size)
      for (const std::size_t mode : share.modes) modes[mode].shared = false;
  }
}

double ConstrainedMotion::share(bool exact) {
  double room = 1.0;
  std::vector<char> found(modes_.size(), 0);
  for (const Share& share : shares()) {
    if (std::ranges::none_of(share.modes, [&](std::size_t k) { return modes_[k].shared; }))
      continue;
    const Vector before = lambda_(share.rows);
    const ShareRoom here = share_room(before, share.K, share.laws, exact);
    room = std::min(room, here.room);
    lambda_(share.rows) = here.lambda;
    if (m_joints_ > 0) joint_forces_ -= R_(Eigen::all, share.rows) * (here.lambda - before);
    for (const Eigen::Index r : share.rows) {
      const auto [k, b] = active_[static_cast<std::size_t>(r)];
      found[k] = 1;
      if (modes_[k].kind == ContactMode::Kind::slides)
        force_[k] = lambda_[r] * unit_[k];
      else
        force_[k][b] = lambda_[r];
    }
  }
  // What does no longer share has one force, for which the same laws hold.
  for (std::size_t r = 0; r < active_.size(); ++r) {
    const auto [k, a] = active_[r];
    if (a != 0 || !modes_[k].shared || found[k] != 0) continue;
    const std::array law{share_law(k, static_cast<int>(r))};
    const double size = lambda_.segment(law[0].first, law[0].size).cwiseAbs().maxCoeff();
    if (size > 0.0) room = std::min(room, share_left(lambda_, law) / size);
  }
  return room;
}

void ConstrainedMotion::linearise(double t, View w, View v, double g) {
  go(t, w, v);
  for (std::size_t i = 0; i < at_.size(); ++i)
    if (at_[i].v.size() > 0)
      model_.groups()[i].dynamics->factorise({1.0, g, g * g}, t_, at_[i].q, at_[i].v, A_[i]);
  make_constraints();
  Y_ = DA_;
  for (std::size_t i = 0; i < at_.size(); ++i)
    if (const auto n = at_[i].v.size(); n > 0) solve(A_[i], Y_.middleRows(first_[i], n));
  SA_.noalias() = BA_ * Y_;
}

// x <- A^-1 M x + A^-1 D mu with B x as it was: what the constraints leave free.
void ConstrainedMotion::correct(Out x) {
  if (SA_.rows() > 0) rhs_.noalias() = BA_ * x;
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const auto n = at_[i].v.size();
    if (n == 0) continue;
    auto part = x.segment(first_[i], n);
    const Vector given = part;
    model_.groups()[i].dynamics->multiply({1.0, 0.0, 0.0}, t_, at_[i].q, at_[i].v, given, part);
    solve(A_[i], part);
  }
  if (SA_.rows() == 0) return;
  rhs_.noalias() -= BA_ * x;
  solve_rows(SA_, rhs_, lambda_);
  x.noalias() += Y_ * lambda_;
}

}  // namespace saltus
