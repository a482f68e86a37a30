#include "saltus/scene/joint_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/contact/constraint_projection.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/model/joint_summary.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {
namespace {

constexpr double kClosed = 1e-13;  ///< relative to the size of the mechanism; in rad
/// accepted if round-off or a dead point prevents a smaller value
constexpr double kAccepted = 1e-10;
constexpr double kTold = 1e-6;  ///< smaller initial changes are not reported
/// relative to the motion: smaller corrections of velocities are not applied again
constexpr double kFitted = 1e-12;
constexpr ProjectionLimits kClosing{.iterations = 50,
                                    .refactorise_above = 0.0,
                                    .stop_above = std::numeric_limits<double>::infinity(),
                                    .halvings = 12};
constexpr int kLooks = 64;  ///< number of times of the run at which a drive is checked

/// The meaning of one row of the joints.
struct RowMeaning {
  int owner = 0;  ///< index of a joint, or number of joints + index of a coupling
  bool turns = false;
};

class Assembly {
 public:
  /// again: velocities that already satisfy the joints stay bitwise the same.
  Assembly(ModelParts& parts, bool again)
      : parts_(parts),
        again_(again),
        system_(make_system()),
        projection_(system_, velocities()),
        factor_(members_.size()),
        start_(members_.size()) {
    gap_.resize(system_.rows());
    find_meanings();
    find_size();
  }
  void run() {
    if (!system_.empty()) {
      close();
      fit_velocities();
      expect_drives_free();
    }
    warn_of_stops();
  }

  // -- for project_positions()
  /// The largest entry of `gap_`, lengths divided by the size.
  double violation();
  double round_off() const { return kClosed + round_off_; }
  /// Computes rows, masses and S at the current positions.
  bool linearise();
  void solve();
  void move(double part);
  void revert() {
    for (std::size_t m = 0; m < members_.size(); ++m) state(m).q = start_[m];
  }

 private:
  JointSystem make_system();
  std::vector<Eigen::Index> velocities() const {
    std::vector<Eigen::Index> n;
    for (const JointMember& m : members_) n.push_back(m.body->velocities());
    return n;
  }
  void find_meanings();
  void find_size();
  void close();
  void fit_velocities();
  void expect_fitting(double energy);
  void expect_free(const Vector& u);
  void expect_drives_free();
  void warn_of_move(const std::vector<Vector>& before, const Vector& first);
  void warn_of_stops();
  [[noreturn]] void refuse();

  GroupState& state(std::size_t m) {
    return parts_.initial[static_cast<std::size_t>(members_[m].group)];
  }
  const Dynamics& body(std::size_t m) const { return *members_[m].body; }
  JointSystem::Configuration places() {
    return [this](int m) -> const Vector& { return state(static_cast<std::size_t>(m)).q; };
  }
  JointSystem::Factors masses() {
    return [this](int m) -> const Factor& { return factor_[static_cast<std::size_t>(m)]; };
  }
  double share(Eigen::Index row, double gap) const {
    return std::abs(gap) / (meaning_[static_cast<std::size_t>(row)].turns ? 1.0 : size_);
  }
  /// The row with the largest scaled gap, or with one that is not finite.
  Eigen::Index worst_row(const Vector& g) const {
    Eigen::Index row = 0;
    for (Eigen::Index i = 1; i < g.size(); ++i)
      if (!(share(i, g[i]) <= share(row, g[row]))) row = i;
    return row;
  }
  /// No motion is possible along the row: its bodies are locked, restricted to a plane, or have
  /// prescribed motion.
  bool blocked(Eigen::Index row) const { return !(system_.diagonal()[row] > least_); }
  const std::string& name_of(int owner) const {
    const auto i = static_cast<std::size_t>(owner), n = parts_.joints.size();
    return i < n ? parts_.joints[i].name : parts_.couplings[i - n].name;
  }
  std::string path_of(int owner) const {
    auto i = static_cast<std::size_t>(owner);
    if (i >= parts_.joints.size()) {
      const auto& terms = parts_.couplings[i - parts_.joints.size()].terms;
      if (terms.size() > 1) return "couplings";
      i = static_cast<std::size_t>(terms.front().joint);  // a coordinate with a drive
    }
    return i < parts_.joint_path.size() ? parts_.joint_path[i] : fmt::format("joints[{}]", i);
  }
  std::string body_name(std::size_t m, int i) const {
    const Group& group = parts_.groups[static_cast<std::size_t>(members_[m].group)];
    const auto k = static_cast<std::size_t>(i);
    return k < group.bodies.size() ? group.bodies[k] : group.name;
  }
  /// Gap of the joint or coupling that `row` belongs to: "12 mm" or "0.3 rad", the norm of its rows
  /// of the same unit.
  std::string amount(const Vector& g, Eigen::Index row, const char* per = "") const;

  ModelParts& parts_;
  bool again_ = false;
  std::vector<JointMember> members_;
  JointSystem system_;
  ConstraintProjection projection_;
  std::vector<Factor> factor_;
  std::vector<Vector> start_;  ///< q at the last solve()
  std::vector<RowMeaning> meaning_;
  Vector gap_;
  double size_ = 1.0, round_off_ = 0.0;  ///< [m]; round-off relative to the size
  double least_ = 0.0;                   ///< rows that can move have a larger S_ii
};

JointSystem Assembly::make_system() {
  members_ = joint_members(parts_.joints, parts_.groups);
  try {
    return {parts_.joints, parts_.couplings, members_};
  } catch (const UsageError& error) {
    throw SceneError("joints", usage_text(error));
  }
}

void Assembly::find_meanings() {
  meaning_.resize(static_cast<std::size_t>(system_.rows()));
  std::vector<char> of_joint(meaning_.size(), 0);
  JointRows rows;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const auto [first, count] = system_.rows_of(static_cast<int>(j));
    joint_rows(parts_.joints[j].kind, 0.0, {}, {}, rows);
    for (int k = 0; k < count; ++k) {
      const auto row = static_cast<std::size_t>(first + k);
      meaning_[row] = {static_cast<int>(j), rows.row[static_cast<std::size_t>(k)].spin};
      of_joint[row] = 1;
    }
  }
  // The remaining rows are those of the couplings, in their order.
  std::size_t c = 0;
  for (std::size_t row = 0; row < meaning_.size(); ++row) {
    if (of_joint[row]) continue;
    const JointCoupling& coupling = parts_.couplings[c];
    const bool turns = std::ranges::all_of(coupling.terms, [&](const JointCoupling::Term& term) {
      return is_angle(parts_.joints[static_cast<std::size_t>(term.joint)].kind, term.coordinate);
    });
    meaning_[row] = {static_cast<int>(parts_.joints.size() + c), turns};
    ++c;
  }
}

// The diagonal of the box around the places of joints and the origins of their bodies; for a single
// point, its distance from the origin of space.
void Assembly::find_size() {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  const auto take = [&](const Vector3& x) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  };
  std::vector<std::vector<Pose>> frames(parts_.groups.size());
  for (const JointMember& m : members_) {
    const auto g = static_cast<std::size_t>(m.group);
    if (!has(m.body->traits(), Trait::rigid) && m.body->velocities() > 0) continue;
    frames[g].resize(static_cast<std::size_t>(m.body->bodies()));
    m.body->frames(0.0, parts_.initial[g].q, frames[g]);
  }
  for (const Joint& joint : parts_.joints)
    for (const JointSide* side : {&joint.a, &joint.b}) {
      if (side->group < 0) {
        take(side->ref.local);
        continue;
      }
      const auto g = static_cast<std::size_t>(side->group);
      if (!frames[g].empty()) {
        const Pose& frame = frames[g][static_cast<std::size_t>(side->ref.body)];
        take(frame.x);
        take(frame * side->ref.local);
      } else {
        Vector3 x;
        parts_.groups[g].dynamics->points(0.0, parts_.initial[g].q, std::array{side->ref}, x);
        take(x);
      }
    }
  const double extent = (high - low).norm(), far = low.cwiseAbs().cwiseMax(high.cwiseAbs()).norm();
  size_ = extent > 0.0 ? extent : far > 0.0 ? far : 1.0;
  round_off_ = 16.0 * std::numeric_limits<double>::epsilon() * far / size_;
}

bool Assembly::linearise() {
  if (!factorise_at_start(system_, members_, parts_.initial, factor_)) return false;
  least_ = 1e-14 * system_.diagonal().maxCoeff();
  return true;
}

double Assembly::violation() {
  gap_ = projection_.gaps(0.0, places());
  double worst = 0.0;
  for (Eigen::Index i = 0; i < gap_.size(); ++i) {
    if (!std::isfinite(gap_[i])) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, share(i, gap_[i]));
  }
  return worst;
}

void Assembly::solve() {
  for (std::size_t m = 0; m < members_.size(); ++m) start_[m] = state(m).q;
  projection_.solve_positions();
  projection_.correct(masses());
}

void Assembly::move(double part) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Vector w = part * projection_.correction(static_cast<int>(m));
    if (w.size() > 0) body(m).retract(start_[m], w, state(m).q);
  }
}

void Assembly::close() {
  std::vector<Vector> start(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) start[m] = state(m).q;
  violation();
  const Vector first = gap_;
  const ProjectionResult closed = project_positions(*this, kClosing);
  if (!(closed.last <= std::max(round_off(), kAccepted))) refuse();
  if (!linearise())
    throw SceneError("joints", "the masses of the bodies in the joints are not finite");
  warn_of_move(start, first);
}

std::string Assembly::amount(const Vector& g, Eigen::Index row, const char* per) const {
  const RowMeaning& of = meaning_[static_cast<std::size_t>(row)];
  double squares = 0.0;
  for (Eigen::Index i = 0; i < g.size(); ++i) {
    const RowMeaning& other = meaning_[static_cast<std::size_t>(i)];
    if (other.owner == of.owner && other.turns == of.turns) squares += g[i] * g[i];
  }
  return fmt::format("{:.3g} {}{}", std::sqrt(squares), of.turns ? "rad" : "m", per);
}

void Assembly::refuse() {
  const Eigen::Index row = worst_row(gap_);
  const RowMeaning& of = meaning_[static_cast<std::size_t>(row)];
  throw SceneError(path_of(of.owner),
                   fmt::format("'{}' cannot be closed: {} {} at best", name_of(of.owner),
                               of.owner < static_cast<int>(parts_.joints.size())
                                   ? (of.turns ? "the axes differ by" : "the bodies are apart by")
                                   : "the sum is off by",
                               amount(gap_, row)),
                   "change places, axes and lengths so that they fit, or move the bodies closer");
}

// Warns of the largest move of a body, with the joint that had the largest violation.
void Assembly::warn_of_move(const std::vector<Vector>& before, const Vector& first) {
  double way = 0.0, angle = 0.0, most = 0.0;
  std::string who;
  const auto take = [&](double x, double turn, std::size_t m, int i) {
    way = std::max(way, x);
    angle = std::max(angle, turn);
    if (std::max(x / size_, turn) <= most) return;
    most = std::max(x / size_, turn);
    who = body_name(m, i);
  };
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Vector& q = state(m).q;
    if (has(body(m).traits(), Trait::rigid)) {
      for (int i = 0; i < body(m).bodies(); ++i) {
        const RigidAt b(i);
        take((b.x(q) - b.x(before[m])).norm(),
             log_rotation(b.Q(before[m]).conjugate() * b.Q(q)).norm(), m, i);
      }
    } else if (q.size() > 0) {
      take((q - before[m]).cwiseAbs().maxCoeff(), 0.0, m, 0);
    }
  }
  if (!(most > kTold)) return;
  const Eigen::Index row = worst_row(first);
  const int owner = meaning_[static_cast<std::size_t>(row)].owner;
  parts_.warnings.push_back(
      fmt::format("{}: '{}' was violated by {}; bodies were moved by up to {:.3g} m and {:.3g} rad "
                  "(largest for '{}')",
                  path_of(owner), name_of(owner), amount(first, row), way, angle, who));
}

// Dependent rows may require different rates, as of a drive whose coordinate other joints
// constrain. The residual is measured as an energy, u_i^2/S_ii, against twice that of the motion.
void Assembly::expect_fitting(double energy) {
  Vector u = system_.drift0();
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (state(m).v.size() > 0) system_.multiply_add(static_cast<int>(m), state(m).v, u);
  expect_free(u);
  double most = 0.0;
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const double left = u[i] * u[i] / system_.diagonal()[i];
    if (blocked(i) || !(left > most)) continue;
    most = left;
    row = i;
  }
  if (!(most > kTold * kTold * energy)) return;
  const int owner = meaning_[static_cast<std::size_t>(row)].owner;
  throw SceneError(
      path_of(owner),
      fmt::format("'{}' requires an initial rate that other joints prevent: the residual is {}",
                  name_of(owner), amount(u, row, "/s")),
      "make drives and motions compatible");
}

// A rate along which no motion is possible opens the joint by u_i t; it is accepted if that stays
// below the reporting limit over the run.
void Assembly::expect_free(const Vector& u) {
  const double run = std::max(parts_.options.end, parts_.options.h);
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    if (!blocked(i) || share(i, u[i]) * run <= kTold) continue;
    const int owner = meaning_[static_cast<std::size_t>(i)].owner;
    throw SceneError(
        path_of(owner),
        fmt::format(
            "'{}' requires an initial rate along which its bodies cannot move: the residual is {}",
            name_of(owner), amount(u, i, "/s")),
        "choose a direction that no body has `locked` and that lies in the plane of a planar "
        "scene");
  }
}

// A drive that starts at rest may require an impossible motion later: its sum is checked over the
// run, at times that match no period, t_k = end times the fraction of k golden ratios, and at the
// points of its table.
void Assembly::expect_drives_free() {
  std::vector<Eigen::Index> rows;
  std::vector<double> times;
  for (Eigen::Index i = 0; i < gap_.size(); ++i) {
    const std::size_t owner = static_cast<std::size_t>(meaning_[static_cast<std::size_t>(i)].owner),
                      joints = parts_.joints.size();
    if (owner < joints || !blocked(i) || !parts_.couplings[owner - joints].value) continue;
    rows.push_back(i);
    const Breaks& breaks = parts_.couplings[owner - joints].breaks;
    for (const std::vector<double>* list : {&breaks.ends, &breaks.jumps})
      times.insert(times.end(), list->begin(), list->end());
  }
  if (rows.empty()) return;
  const double end = parts_.options.end, golden = 0.5 * (std::sqrt(5.0) - 1.0);
  for (int k = 1; k <= kLooks; ++k) times.push_back(end * std::fmod(k * golden, 1.0));
  times.push_back(end);
  std::ranges::sort(times);
  for (const double t : times) {
    if (!(t >= 0.0 && t <= end)) continue;
    system_.gaps(t, places(), gap_);
    for (const Eigen::Index i : rows) {
      if (share(i, gap_[i]) <= kTold) continue;
      const int owner = meaning_[static_cast<std::size_t>(i)].owner;
      throw SceneError(path_of(owner),
                       fmt::format("'{}' requires a motion along which its bodies cannot move: it "
                                   "is off by {} at {:.4g} s",
                                   name_of(owner), amount(gap_, i), t),
                       "choose a direction that no body has `locked` and that lies in the plane of "
                       "a planar scene");
    }
  }
}

void Assembly::warn_of_stops() {
  for (const JointLaw& stop : parts_.joint_laws) {
    if (parts_.laws[static_cast<std::size_t>(stop.law)]->bilateral()) continue;
    const Joint& joint = parts_.joints[static_cast<std::size_t>(stop.joint)];
    const bool turns = is_angle(joint.kind, stop.coordinate);
    double c = system_.coordinate(0.0, places(), stop.joint, stop.coordinate);
    const double start = parts_.joints[static_cast<std::size_t>(stop.joint)]
                             .start[static_cast<std::size_t>(stop.coordinate)];
    const bool many = counts_turns(joint.kind, stop.coordinate);
    if (many && start != 0.0)
      c = nearest_turn(c, start);
    else if (many)
      c = angle_between_stops(parts_.joint_laws, parts_.laws, stop.joint, stop.coordinate, c);
    if (!(stop.sign * (c - stop.offset) < -kTold * (turns ? 1.0 : size_))) continue;
    const auto i = static_cast<std::size_t>(stop.joint);
    parts_.warnings.push_back(fmt::format(
        "{}: '{}' starts at {:.4g} {}, beyond its stop at {:.4g}: the stop prevents it from moving "
        "further but does not bring it back",
        i < parts_.joint_path.size() ? parts_.joint_path[i] : fmt::format("joints[{}]", i),
        coordinate_text(joint.name, joint.kind, stop.coordinate), c, turns ? "rad" : "m",
        stop.offset));
  }
}

void Assembly::fit_velocities() {
  Vector u = system_.drift0();
  double motion = 0.0, change = 0.0;  // twice the kinetic energies
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Vector& v = state(m).v;
    if (v.size() == 0) continue;
    system_.multiply_add(static_cast<int>(m), v, u);
    Vector p(v.size());
    body(m).multiply({1.0, 0.0, 0.0}, 0.0, state(m).q, v, v, p);
    motion += v.dot(p);
  }
  if (u.cwiseAbs().maxCoeff() == 0.0) return;
  projection_.solve_velocities(-u);
  projection_.correct(masses());
  Vector p;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Vector& dv = projection_.correction(static_cast<int>(m));
    if (dv.size() == 0) continue;
    p.setZero(dv.size());
    projection_.add_impulses(static_cast<int>(m), p);
    change += dv.dot(p);
  }
  if (!again_ || change > kFitted * kFitted * motion)
    for (std::size_t m = 0; m < members_.size(); ++m)
      state(m).v += projection_.correction(static_cast<int>(m));
  expect_fitting(motion + change);
  if (!(change > kTold * kTold * motion)) return;
  const Eigen::Index row = worst_row(u);
  const int owner = meaning_[static_cast<std::size_t>(row)].owner;
  parts_.warnings.push_back(
      fmt::format("{}: the initial velocities violated '{}' by {}; they were changed by the "
                  "smallest impulse that makes them compatible",
                  path_of(owner), name_of(owner), amount(u, row, "/s")));
}

}  // namespace

void assemble(ModelParts& parts) {
  if (parts.joints.empty() && parts.couplings.empty()) return;
  Assembly(parts, false).run();
}

void assemble_again(ModelParts& parts) {
  if (parts.joints.empty() && parts.couplings.empty()) return;
  std::vector<std::string> before;
  before.swap(parts.warnings);
  Assembly(parts, true).run();
  for (std::string& text : parts.warnings)
    if (std::ranges::find(before, text) == before.end()) before.push_back(std::move(text));
  parts.warnings.swap(before);
}

}  // namespace saltus
