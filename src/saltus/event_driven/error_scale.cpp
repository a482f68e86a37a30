#include "saltus/event_driven/error_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr double kNoise = 5.0;     ///< multiple of the round-off of accelerations allowed in a step
constexpr double kFinest = 1e-11;  ///< tolerance of steps with closed contacts
constexpr double kNoDrift = 1e-12;  ///< relative to the velocity scale: slower counts as at rest
/// Fraction of the velocity that contacts, springs and joints can give a group; the scale of slower
/// groups is raised to it.
constexpr double kOfOthers = 0.1;

}  // namespace

ErrorScale::ErrorScale(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion), first_(motion.kinematics().first()) {
  w_ = Vector::Zero(motion.size());
  scale_ = Vector::Ones(2 * motion.size());
  find_joined();
}

// Groups of a joint, and those of all joints of a coupling.
void ErrorScale::find_joined() {
  alone_ = std::ranges::count_if(model_.groups(), [](const Group& group) {
             return group.dynamics->velocities() > 0;
           }) < 2;
  const auto moves = [&](int g) {
    return g >= 0 && model_.groups()[at(g)].dynamics->velocities() > 0;
  };
  std::vector<int> together;
  const auto add = [&](const Joint& joint) {
    for (const int g : {joint.a.group, joint.b.group})
      if (moves(g)) together.push_back(g);
  };
  const auto close = [&] {
    for (std::size_t i = 1; i < together.size(); ++i)
      if (together[i] != together[0]) joined_.push_back({together[0], together[i]});
    together.clear();
  };
  for (const Joint& joint : model_.joints()) {
    add(joint);
    close();
  }
  for (const JointCoupling& coupling : model_.couplings()) {
    for (const JointCoupling::Term& term : coupling.terms) add(model_.joints()[at(term.joint)]);
    close();
  }
}

// Row `row` of the contact of a mode, if it couples groups or a group to a prescribed motion:
//     reach_g = max_i |H_i|/r_i,     gain_g = 2 max_i r_i |M^-1 H^T|_i/W,     W = H M^-1 H^T,
// with i of group g and r the radius of gyration for angular velocities, 1 for others.
void ErrorScale::find_links_of(std::size_t mode, int row, const Vector& v0) {
  const EventContacts& contacts = motion_.contacts();
  const std::span<const double> radius = motion_.kinematics().radius();
  double drift = std::abs(motion_.drift(mode)[row]);
  if (drift <= kNoDrift * contacts.row_size(at(motion_.index(mode)), row, v0)) drift = 0.0;
  if (alone_ && drift == 0.0) return;
  Matrix X = Matrix::Zero(motion_.size(), 1);
  contacts.add_row(at(motion_.index(mode)), row, 1.0, X.col(0));
  const Vector H = X.col(0);
  const auto group_of = [&](std::size_t g) {
    return H.segment(first_[g], first_[g + 1] - first_[g]);
  };
  std::size_t groups = 0;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) groups += !group_of(g).isZero(0.0);
  if (groups == 0 || (groups == 1 && drift == 0.0)) return;
  motion_.kinematics().solve_mass(X);
  const double W = H.dot(X.col(0));
  if (!(W > 0.0)) return;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
    if (group_of(g).isZero(0.0)) continue;
    Link link{static_cast<int>(drifts_.size()), static_cast<int>(g), 0.0, 0.0};
    for (int i = first_[g]; i < first_[g + 1]; ++i) {
      link.reach = std::max(link.reach, std::abs(H[i]) / radius[at(i)]);
      link.gain = std::max(link.gain, 2.0 * radius[at(i)] * std::abs(X(i, 0)) / W);
    }
    links_.push_back(link);
  }
  drifts_.push_back(drift);
}

void ErrorScale::find_links(const Vector& v0) {
  links_.clear();
  drifts_.clear();
  for (std::size_t k = 0; k < motion_.modes().size(); ++k) {
    if (motion_.index(k) < 0) continue;
    const int tangents = motion_.contacts().contact(at(motion_.index(k))).tangents;
    for (int a = 0; a <= tangents; ++a) find_links_of(k, a, v0);
  }
}

// Raises the speeds of groups to what other groups can give them, each once along its path from the
// fastest group:
//     s_g = max(s_g, gain_g (reach_k s_k, |d|)) over rows,   max(s_g, s_k) over joints
void ErrorScale::spread_speeds() {
  if (links_.empty() && joined_.empty()) return;
  own_speeds_ = speeds_;
  settled_.assign(speeds_.size(), 0);
  for (const Link& link : links_)
    speeds_[at(link.group)] = std::max(speeds_[at(link.group)], link.gain * drifts_[at(link.row)]);
  for (std::size_t n = 0; n < speeds_.size(); ++n) {
    int k = -1;
    for (std::size_t g = 0; g < speeds_.size(); ++g)
      if (settled_[g] == 0 && (k < 0 || speeds_[g] > speeds_[at(k)])) k = static_cast<int>(g);
    settled_[at(k)] = 1;
    const double speed = speeds_[at(k)];
    if (!(speed > 0.0)) break;
    const auto give = [&](int g, double u) {
      if (settled_[at(g)] == 0) speeds_[at(g)] = std::max(speeds_[at(g)], u);
    };
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].group != k) continue;
      const double u = links_[i].reach * speed;
      for (std::size_t j = i; j-- > 0 && links_[j].row == links_[i].row;)
        give(links_[j].group, links_[j].gain * u);
      for (std::size_t j = i + 1; j < links_.size() && links_[j].row == links_[i].row; ++j)
        give(links_[j].group, links_[j].gain * u);
    }
    for (const auto& [a, b] : joined_) {
      if (a == k) give(b, speed);
      if (b == k) give(a, speed);
    }
  }
  for (std::size_t g = 0; g < speeds_.size(); ++g)
    speeds_[g] = std::max(own_speeds_[g], kOfOthers * speeds_[g]);
}

// Measures how much the accelerations by applied forces change if time and positions change in
// their last digits: the round-off of terms that cancel, such as a spring force and the weight it
// carries.
void ErrorScale::measure_noise(const OdeStep& step, const Vector& pull) {
  constexpr double kLast = std::numeric_limits<double>::epsilon();
  const std::span<const double> radius = motion_.kinematics().radius();
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
    const double last = kLast * motion_.kinematics().extent(g);
    const bool rigid = model_.groups()[g].dynamics->rigid() != nullptr;
    // random signs, since a uniform displacement stretches no spring
    for (int i = first_[g]; i < first_[g + 1]; ++i) {
      const bool angle = rigid && (i - first_[g]) % 6 >= 3;  // a rotation has digits of its own
      const double size = std::max(last / radius[at(i)], angle ? kLast : 0.0);
      w_[i] = ((static_cast<unsigned>(i) * 2654435761u) >> 16) % 2 == 0 ? size : -size;
    }
  }
  motion_.go(step.t0 * (1.0 + kLast), w_, step.v0);
  change_ = motion_.free_acceleration() - pull;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g)
    for (int i = first_[g]; i < first_[g + 1]; ++i)
      noise_[g] = std::max(noise_[g], radius[at(i)] * std::abs(change_[i]));
}

// Scale of a step: |v| h + |a| h^2 and |v| + |a| h, the largest value in each group at its start
// and, within bounds, its end; a with and without contacts; angular values are multiplied by the
// radius of gyration. Groups that others can move use the scale of those. Motion within the
// round-off of accelerations counts as none, and an error within it does not count.
void ErrorScale::measure(const OdeStep& step, const Vector& pull) {
  const double h = step.h;
  const std::span<const double> radius = motion_.kinematics().radius();
  // Rates of rows that rotate are differences: their round-off does not count as an error of the
  // step.
  const double asked = model_.options().events.tolerance;
  tolerance_ = motion_.differences() ? std::max(asked, kFinest) : asked;
  const auto n = motion_.size();
  speeds_.assign(first_.size() - 1, 0.0);
  for (std::size_t g = 0; g + 1 < first_.size(); ++g)
    for (int i = first_[g]; i < first_[g + 1]; ++i)
      speeds_[g] = std::max(
          speeds_[g], radius[at(i)] * (std::abs(step.v0[i]) +
                                       h * std::max(std::abs(step.dv0[i]), std::abs(pull[i]))));
  spread_speeds();
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
    const double start = speeds_[g];
    double end = 0.0;
    for (int i = first_[g]; i < first_[g + 1]; ++i)
      end = std::max(end, radius[at(i)] * (std::abs(step.v1[i]) + h * std::abs(step.dv1[i])));
    const double least = kNoise * noise_[g] * h;
    // A step that is far too long may end anywhere.
    const double speed = start > least ? std::clamp(end, start, 4.0 * start) : end;
    for (int i = first_[g]; i < first_[g + 1]; ++i) {
      const double u = std::max(std::max(tolerance_ * speed, least) / radius[at(i)], 1e-200);
      scale_[i] = std::max(h * u, 1e-200);
      scale_[n + i] = u;
    }
  }
}

}  // namespace saltus
