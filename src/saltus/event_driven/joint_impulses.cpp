#include "saltus/event_driven/joint_impulses.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

namespace {
constexpr std::size_t kMostPaths = 256;  ///< maximum number stored
}

JointImpulses::JointImpulses(const Model& model) : model_(model) {
  impulses_.assign(model.joints().size(), {Vector3::Zero(), Vector3::Zero()});
}

void JointImpulses::begin() {
  stored_ = 0;
  std::ranges::fill(impulses_, Load{Vector3::Zero(), Vector3::Zero()});
}

void JointImpulses::add(std::span<const Load> impulses) {
  for (std::size_t i = 0; i < impulses.size(); ++i)
    for (std::size_t a = 0; a < 2; ++a) impulses_[i][a] += impulses[i][a];
}

void JointImpulses::add(const StepIntegral& integral, const Matrix& loads, std::vector<Load>& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    for (int a = 0; a < 6; ++a)
      to[i][at(a / 3)][a % 3] += integral(loads.row(6 * static_cast<Eigen::Index>(i) + a));
}

void JointImpulses::add_path(long number, const EventState& event_state, const OdeStep& step,
                             double from, double to) {
  if (stored_ == kMostPaths) sum_paths();
  if (stored_ == paths_.size()) paths_.emplace_back();
  Path& path = paths_[stored_++];
  path.number = number;
  path.start = event_state.start;
  path.step.t0 = step.t0;
  path.step.h = step.h;
  path.step.v0 = step.v0;
  path.step.w = step.w;
  path.step.v = step.v;
  path.rate_time = event_state.rate_time;
  path.length = event_state.length;
  path.from = from;
  path.to = to;
}

// Evaluates the loads over the step of a path and stores them in `loads_`.
void JointImpulses::evaluate(const Path& path) {
  evaluated_ = -1;
  if (!motion_) motion_ = std::make_unique<ConstrainedMotion>(model_);
  const auto size = path.step.v0.size();
  Vector w = Vector::Zero(size), v = path.step.v0, dw(size), dv(size);
  motion_->joints().reset_redundant_rows();
  motion_->enter_smooth_interval(path.step.t0);
  motion_->start(path.start);
  motion_->set_modes({});
  motion_->set_time(path.rate_time);
  motion_->rates(path.step.t0, w, v, dw, dv);  // detects redundant rows
  const int n = static_cast<int>(path.step.w.cols());
  const auto nodes = lobatto_nodes(n);
  std::vector<Load> load(impulses_.size());
  Matrix at_nodes(6 * std::ssize(impulses_), n + 1);
  for (int k = 0; k <= n; ++k) {
    dense_output(path.step, nodes[at(k)] * (path.length / path.step.h), w, v);
    motion_->rates(path.step.t0 + nodes[at(k)] * path.length, w, v, dw, dv);
    sample_joint_loads(*motion_, load, k, at_nodes);
  }
  bernstein_through(at_nodes, loads_);
  evaluated_ = path.number;
  evaluated_over_ = path.length;
}

void JointImpulses::sum_paths() {
  if (stored_ == 0) return;
  // Adds all paths or none: user-defined forces may throw.
  std::vector<Load> sum = impulses_;
  for (const Path& path : std::span(paths_).first(stored_)) {
    if (path.number != evaluated_ || path.length != evaluated_over_) evaluate(path);
    add({loads_.cols(), path.length, path.from, path.to}, loads_, sum);
  }
  impulses_.swap(sum);
  stored_ = 0;
}

const JointImpulses::Load& JointImpulses::of(int joint) {
  sum_paths();
  return impulses_[at(joint)];
}

void sample_joint_loads(ConstrainedMotion& motion, std::span<JointImpulses::Load> scratch,
                        Eigen::Index k, Matrix& loads) {
  std::ranges::fill(scratch, JointImpulses::Load{Vector3::Zero(), Vector3::Zero()});
  motion.joints().add_loads(motion.joint_forces(), 1.0, scratch);
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    loads.block<3, 1>(6 * static_cast<Eigen::Index>(i), k) = scratch[i][0];
    loads.block<3, 1>(6 * static_cast<Eigen::Index>(i) + 3, k) = scratch[i][1];
  }
}

}  // namespace saltus
