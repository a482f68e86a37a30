#include "saltus/event_driven/event_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/contact/constraint_projection.h"
#include "saltus/event_driven/constraint_rows.h"

namespace saltus {
namespace {

/// Fractions of the energies of EventProjection::allow() that drift may change.
constexpr double kDrift = 1e-5, kDistances = 10.0;
/// Relative to a coordinate: the round-off of a gap, and corrections for which the factors remain
/// accurate enough. Relative to the largest velocity: a correction after which only round-off
/// remains.
constexpr double kRound = 4e-16, kNear = 1e-6, kSmall = 1e-8;
constexpr ProjectionLimits kPositions{.iterations = 8};
constexpr int kMostOfVelocities = 4;  ///< iterations

/// Operations that project_positions() (contact/constraint_projection.h) requires of the groups,
/// and the iteration of velocities, which reuses factors by the same rule.
class ProjectionNewton {
 public:
  ProjectionNewton(ConstrainedMotion& motion, double t, std::vector<GroupState>& groups,
                   std::span<const ContactMode> modes)
      : motion_(motion),
        first_(motion.contacts().first()),
        t_(t),
        groups_(groups),
        modes_(modes),
        joints_(motion.joints().rows()),
        w_(Vector::Zero(motion.size())),
        v_(motion.size()) {}

  // -- for project_positions()
  double violation();
  double round_off() const { return kRound * motion_.kinematics().extent(); }
  bool linearise();
  void solve() { correction(); }
  void move(double part) {
    move_ *= part;
    motion_.kinematics().move(move_, groups_);
  }
  static void revert() {}

  /// largest: |g| before the projection of positions [m], [rad].
  void project_velocities(double largest);
  /// Kinetic energy changed by project_velocities() [J].
  double energy() const { return energy_; }

 private:
  /// Row `row` of a contact, and its gap or rate.
  struct Row {
    std::size_t contact;
    int row;
    double value;
  };
  enum class Factors { none, kept, fresh };  ///< of project_velocities()
  void place(bool with_rows);
  void add_rows(const ContactMode& mode, bool gaps);
  bool find_violations(bool gaps);
  void factorise();
  const Vector& correction();
  bool converged(double size);

  ConstrainedMotion& motion_;
  std::span<const int> first_;
  double t_;
  std::vector<GroupState>& groups_;
  std::span<const ContactMode> modes_;
  int joints_;
  Vector w_, v_, g_, part_, lambda_, move_, scale_;
  Matrix B_, X_, R_, S_;  ///< of contacts: X = M^-1 B^T with joints eliminated, S = B X
  std::vector<Row> rows_;
  Factors factors_ = Factors::none;
  bool placed_with_rows_ = false;
  double last_ = std::numeric_limits<double>::infinity();  ///< violation before the last correction
  double energy_ = 0.0;
};

void ProjectionNewton::place(bool with_rows) {
  motion_.start(groups_);
  motion_.set_modes(modes_);
  for (std::size_t i = 0; i < groups_.size(); ++i)
    v_.segment(first_[i], groups_[i].v.size()) = groups_[i].v;
  if (with_rows || modes_.empty())
    motion_.go(t_, w_, v_);
  else
    motion_.look(t_, w_, v_);
}

void ProjectionNewton::add_rows(const ContactMode& mode, bool gaps) {
  const EventContacts& contacts = motion_.contacts();
  const int index = contacts.index_of(mode.key);
  if (index < 0) return;
  const auto i = at(index);
  const ContactLaw& law = contacts.law(i);
  const bool sticks = mode.kind == ContactMode::Kind::sticks;
  if (law.held_rows(contacts.contact(i).tangents, sticks) == 0) return;
  const bool bilateral = law.bilateral();
  if (gaps) {
    if (!bilateral) rows_.push_back({i, 0, contacts.gap(i) - mode.gap});
    return;
  }
  rows_.push_back({i, 0, contacts.rate(i, 0) - (bilateral ? law.facts().velocity : 0.0)});
  for (int a = 1; sticks && !bilateral && a <= contacts.contact(i).tangents; ++a)
    rows_.push_back({i, a, contacts.rate(i, a)});
}

// g: gaps, or rates, of joints and then of contacts. False: there are none.
bool ProjectionNewton::find_violations(bool gaps) {
  rows_.clear();
  for (const ContactMode& mode : modes_) add_rows(mode, gaps);
  g_.resize(joints_ + static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t r = 0; r < rows_.size(); ++r)
    g_[joints_ + static_cast<Eigen::Index>(r)] = rows_[r].value;
  if (joints_ > 0) {
    if (gaps)
      motion_.joints().gaps(part_);
    else
      motion_.joints().rates(part_);
    g_.head(joints_) = part_;
  }
  return g_.size() > 0;
}

void ProjectionNewton::factorise() {
  if (joints_ > 0) {
    motion_.joints().make_rows();
    motion_.joints().factorise();
  }
  B_.resize(static_cast<Eigen::Index>(rows_.size()), motion_.size());
  Vector row(motion_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    row.setZero();
    motion_.contacts().add_row(rows_[r].contact, rows_[r].row, 1.0, row);
    B_.row(static_cast<Eigen::Index>(r)) = row;
  }
  X_ = B_.transpose();
  motion_.kinematics().solve_mass(X_);
  scale_ = row_scale(B_, X_);
  motion_.joints().project_out(X_, R_);
  S_ = B_.lazyProduct(X_);
  factors_ = Factors::fresh;
}

// -M^-1 B^T (B M^-1 B^T)^-1 g for joints and then, within the remaining freedom, for contacts. If g
// are rates, this changes the kinetic energy by g^T (B M^-1 B^T)^-1 g/2.
const Vector& ProjectionNewton::correction() {
  move_.setZero(motion_.size());
  if (joints_ > 0) {
    part_ = g_.head(joints_);
    motion_.joints().solve(part_);
    energy_ += 0.5 * std::abs(part_.dot(g_.head(joints_)));
    motion_.joints().accelerations(part_, move_);
    move_ *= -1.0;
  }
  if (B_.rows() > 0) {
    part_ = g_.tail(B_.rows());
    part_.noalias() += B_ * move_;
    solve_rows(S_, part_, lambda_, scale_);
    energy_ += 0.5 * std::abs(part_.dot(lambda_));
    move_.noalias() -= X_ * lambda_;
  }
  return move_;
}

// Converged to round-off if new factors did not reduce the violation. Reused factors that converge
// too slowly are discarded.
bool ProjectionNewton::converged(double size) {
  const bool slow = size > 0.3 * last_;
  last_ = size;
  if (slow && factors_ == Factors::fresh) return true;
  if (factors_ == Factors::fresh) factors_ = Factors::kept;
  if (slow) factors_ = Factors::none;
  return false;
}

double ProjectionNewton::violation() {
  placed_with_rows_ = factors_ == Factors::none;
  place(placed_with_rows_);
  return find_violations(true) ? g_.cwiseAbs().maxCoeff() : 0.0;
}

bool ProjectionNewton::linearise() {
  if (!placed_with_rows_) place(true);
  factorise();
  return true;
}

void ProjectionNewton::project_velocities(double largest) {
  const double near = largest / motion_.kinematics().extent();
  // For contacts, the rows of rates differ from those of gaps.
  const bool usable = factors_ != Factors::none && modes_.empty() && near <= kNear;
  factors_ = usable ? Factors::kept : Factors::none;
  last_ = std::numeric_limits<double>::infinity();
  energy_ = 0.0;
  for (int iteration = 0; iteration < kMostOfVelocities; ++iteration) {
    place(true);
    if (!find_violations(false)) break;
    const double size = g_.cwiseAbs().maxCoeff();
    if (size == 0.0 || converged(size)) break;
    if (factors_ == Factors::none) factorise();
    const Vector& dv = correction();
    for (std::size_t i = 0; i < groups_.size(); ++i)
      groups_[i].v += dv.segment(first_[i], groups_[i].v.size());
    const double left = factors_ == Factors::fresh ? size * kSmall : size * near;
    if (left <= kRound * v_.cwiseAbs().maxCoeff()) break;
  }
}

}  // namespace

bool EventProjection::project(double t, std::vector<GroupState>& groups,
                              std::span<const ContactMode> modes, bool positions) {
  ProjectionNewton newton(motion_, t, groups, modes);
  // The largest |g| at the start [m], [rad].
  const double start = positions ? project_positions(newton, kPositions).first : 0.0;
  const auto first = motion_.contacts().first();
  const Vector before = motion_.kinematics().velocities(groups);
  newton.project_velocities(start);
  const double most = kDrift * std::max(in_play_, of_fall_) + kDistances * of_distance_;
  if (!(newton.energy() > most) || most == 0.0) return true;
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].v = before.segment(first[i], groups[i].v.size());
  return false;
}

}  // namespace saltus
