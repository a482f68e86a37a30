#include "saltus/event_driven/step_balance.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/event_driven/joint_impulses.h"

namespace saltus {

namespace {
/// Relative to the allowed error of a step: the defect in the equations of motion up to which a
/// dense output is accepted as the motion.
constexpr double kDefect = 0.01;
}  // namespace

StepBalance::StepBalance(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion), terms_(model), ledger_(model.options().ledger) {
  for (const Group& group : model.groups()) {
    std::vector<int> entry;
    for (const Source& source : group.dynamics->sources()) {
      entry.push_back(source.potential ? -1 : work_term(model, source.name));
      sources_ = sources_ || entry.back() >= 0;
    }
    source_.push_back(entry);
    source_power_.emplace_back(entry.size(), 0.0);
  }
  joint_load_.resize(model.joints().size());
  w_ = v_ = dw_ = dv_ = Vector::Zero(motion.size());
}

void StepBalance::begin(const OdeStep& step) {
  ++number_;
  const int nodes = static_cast<int>(step.w.cols()) + 1;
  powers_.setZero(static_cast<Eigen::Index>(model_.accounts().size()), nodes);
  forces_.setZero(3 * static_cast<Eigen::Index>(motion_.modes().size()), nodes);
  loads_.setZero(6 * static_cast<Eigen::Index>(model_.joints().size()), nodes);
  sampled_.assign(at(nodes), 0);
}

void StepBalance::sample(std::size_t node, double t, bool forces_known) {
  if (sampled_[node] != 0) return;  // halves of an interval have an end in common
  sampled_[node] = 1;
  const auto k = static_cast<Eigen::Index>(node);
  const auto groups = motion_.kinematics().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (source_[g].empty() || groups[g].v.size() == 0) continue;
    model_.groups()[g].dynamics->power(t, {}, groups[g].q, groups[g].v, groups[g].v,
                                       source_power_[g]);
    for (std::size_t s = 0; s < source_[g].size(); ++s)
      if (source_[g][s] >= 0) powers_(source_[g][s], k) += source_power_[g][s];
  }
  if (!forces_known) return;
  if (motion_.joints().rows() > 0) {
    powers_(terms_.prescribed, k) -= motion_.joint_forces().dot(motion_.joints().drift());
    sample_joint_loads(motion_, joint_load_, k, loads_);
  }
  for (std::size_t m = 0; m < motion_.modes().size(); ++m)
    if (motion_.index(m) >= 0) sample_contact(m, k);
}

void StepBalance::sample_contact(std::size_t m, Eigen::Index k) {
  const auto i = at(motion_.index(m));
  const IslandContact& contact = motion_.contacts().contact(i);
  const ContactLaw& law = motion_.contacts().law(i);
  const Vector3 &f = motion_.force(m), &u = motion_.rate(m), &d = motion_.drift(m);
  forces_.block<3, 1>(3 * static_cast<Eigen::Index>(m), k) = contact.on_units(f);
  if (contact.actuated) {
    powers_(terms_.actuators, k) += f[0] * (u[0] - d[0]);
    return;
  }
  const bool friction = law.slides_on_normal(), on_joint = contact.joint_law >= 0;
  const double own = friction ? law.facts().velocity : 0.0;
  if (!law.set_valued())
    powers_(on_joint && terms_.damping >= 0 ? terms_.damping : terms_.impact, k) +=
        law.damping_force(motion_.contacts().gap(i), u[0]) * u[0];
  else
    powers_(friction   ? terms_.friction
            : on_joint ? terms_.joints
                       : terms_.impact,
            k) += f[0] * (u[0] - own);
  powers_(terms_.friction, k) += f[1] * u[1] + f[2] * u[2];
  powers_(terms_.prescribed, k) -= f.dot(d) - f[0] * own;
}

// Defect of the dense output at t0 + s relative to the rates dw, dv there, over `length`, measured
// as in OdeMethod::error() with the same scale.
double StepBalance::defect(const OdeStep& step, double s, double length, const Vector& scale) {
  const auto degree = step.w.cols() - 1;
  const double theta = s / step.h, rate = static_cast<double>(degree) / step.h;
  const auto n = v_.size();
  slope_.resize(n);
  double sum = 0.0;
  const auto add = [&](const Matrix& B, const Vector& known, View scales) {
    rises_ = B.rightCols(degree) - B.leftCols(degree);
    bernstein_values(rises_, theta, slope_);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double e = length * (rate * slope_[i] - known[i]) / scales[i];
      sum += e * e;
    }
  };
  add(step.w, dw_, scale.head(n));
  add(step.v, dv_, scale.tail(n));
  return std::sqrt(sum / static_cast<double>(2 * n));
}

bool StepBalance::complete(const OdeStep& step, double length, const Vector* scale) {
  const bool forces_known = scale || with_forces();
  if (!forces_known && !(ledger_ && sources_)) {
    power_.setZero(static_cast<Eigen::Index>(model_.accounts().size()), 1);
    force_.resize(0, 1);
    load_.resize(0, 1);
    return true;
  }
  const int n = static_cast<int>(step.w.cols());
  const auto nodes = lobatto_nodes(n);
  if (length != step.h) begin(step);  // the samples belong to the whole step
  for (int node = 0; node <= n; ++node) {
    // Starts from the middle, where a defect shows first.
    const std::size_t k = at((node + n / 2) % (n + 1));
    if (sampled_[k] != 0) continue;
    dense_output(step, nodes[k] * (length / step.h), w_, v_);
    const double t = step.t0 + nodes[k] * length;
    if (forces_known) {
      motion_.rates(t, w_, v_, dw_, dv_);
      if (std::ranges::any_of(motion_.modes(), &ContactMode::shared)) motion_.distribute();
      if (scale && !(defect(step, nodes[k] * length, length, *scale) <= kDefect)) return false;
    } else {
      motion_.go(t, w_, v_);
    }
    sample(k, t, forces_known);
  }
  if (!forces_known) loads_.resize(0, n + 1);
  const auto through = [n](const Matrix& values, Matrix& B) {
    if (values.rows() > 0)
      bernstein_through(values, B);
    else
      B.resize(0, n + 1);
  };
  through(powers_, power_);
  through(loads_, load_);
  through(forces_, force_);
  return true;
}

void StepBalance::add_work(const StepIntegral& integral, std::span<double> ledger) const {
  for (Eigen::Index i = 0; i < power_.rows(); ++i)
    if (!power_.row(i).isZero(0.0)) ledger[static_cast<std::size_t>(i)] += integral(power_.row(i));
}

void StepBalance::add_impulses(const StepIntegral& integral, std::span<const ContactMode> modes,
                               std::map<std::uint64_t, Vector3>& impulses) const {
  for (std::size_t k = 0; k < modes.size(); ++k) {
    Vector3& sum = impulses.try_emplace(modes[k].key, Vector3::Zero()).first->second;
    for (int a = 0; a < 3; ++a)
      if (const auto row = force_.row(3 * static_cast<Eigen::Index>(k) + a); !row.isZero(0.0))
        sum[a] += integral(row);
  }
}

}  // namespace saltus
