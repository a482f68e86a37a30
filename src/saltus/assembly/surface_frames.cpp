#include "saltus/assembly/surface_frames.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

SurfaceFrames::SurfaceFrames(const Model& model, std::vector<int> groups)
    : model_(model), groups_(std::move(groups)) {
  const Surfaces& surfaces = model.surfaces();
  of_model_.assign(surfaces.frames.size(), -1);
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    moves_.push_back(dynamics(m).velocities() > 0 ? '\1' : '\0');
    first_.push_back(static_cast<int>(frame_.size()));
    for (std::size_t f = 0; f < surfaces.frames.size(); ++f)
      if (surfaces.frames[f].group == groups_[m]) {
        of_model_[f] = static_cast<int>(frame_.size());
        frame_.push_back({static_cast<int>(m), surfaces.frames[f].body, static_cast<int>(f)});
      }
  }
  first_.push_back(static_cast<int>(frame_.size()));
  for (std::size_t s = 0; s < surfaces.boundaries.size(); ++s) {
    const auto m = std::ranges::find(groups_, surfaces.boundaries[s].group);
    if (m != groups_.end())
      boundaries_.push_back({static_cast<int>(m - groups_.begin()), static_cast<int>(s)});
  }
}

void SurfaceFrames::place(double t, Configurations q, std::span<Pose> poses) {
  for (std::size_t m = 0; m < groups_.size(); ++m) {
    const int first = first_[m], end = first_[m + 1];
    if (first == end) continue;
    if (end - first == dynamics(m).bodies()) {  // one frame per body, in their order
      dynamics(m).frames(t, *q[m], poses.subspan(at(first), at(end - first)));
      continue;
    }
    member_poses_.resize(at(dynamics(m).bodies()));
    dynamics(m).frames(t, *q[m], member_poses_);
    for (int f = first; f < end; ++f) poses[at(f)] = member_poses_[at(frame_[at(f)].body)];
  }
}

void SurfaceFrames::place_ahead(double t, double dt, Configurations q, Configurations v,
                                std::span<const Pose> poses, std::span<Pose> ahead) {
  place(t + dt, q, ahead);
  for (std::size_t f = 0; f < frame_.size(); ++f) {
    if (!moves(static_cast<int>(f))) continue;
    const View of = *v[at(frame_[f].member)];
    const RigidAt body(frame_[f].body);
    ahead[f] = {poses[f].x + dt * body.linear(of),
                poses[f].R * exp_rotation(dt * body.spin(of)).toRotationMatrix()};
  }
}

void SurfaceFrames::place(double t, Configurations q, std::size_t k, std::span<Vector3> vertices) {
  const Boundary& boundary = boundaries_[k];
  const auto m = at(boundary.member);
  places_.resize(3 * std::ssize(vertices));
  dynamics(m).points(t, *q[m], of(boundary).boundary.vertices, places_);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    vertices[i] = places_.segment<3>(3 * static_cast<Eigen::Index>(i));
}

}  // namespace saltus
