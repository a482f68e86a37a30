#include "saltus/dynamics/applied_forces.h"

#include <algorithm>
#include <array>

namespace saltus {
namespace {

/// f += J^T y for the one point of J.
void add_transposed(const PointRows& J, const Vector3& y, Out f) {
  for (int k = J.offset[0]; k < J.offset[1]; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int j = 0; j < J.width; ++j)
        f[J.column[static_cast<std::size_t>(k)] + j] +=
            J.value[static_cast<std::size_t>((3 * k + axis) * J.width + j)] * y[axis];
}

}  // namespace

AppliedForces::AppliedForces(std::shared_ptr<const Dynamics> body,
                             std::shared_ptr<const List> forces)
    : body_(std::move(body)),
      forces_(std::move(forces)),
      rooms_(std::make_unique<WorkPool<Room>>([] { return std::make_unique<Room>(); })) {
  const auto sources = body_->sources();
  sources_.assign(sources.begin(), sources.end());
  const auto load = std::ranges::find(sources_, "load", &Source::name);
  load_ = static_cast<std::size_t>(load - sources_.begin());
  if (load == sources_.end()) sources_.push_back({"load", false});
  if (const RigidData* data = body_->rigid()) {
    rigid_ = *data;
    rigid_.steady_load = false;
  }
  if (const ModalData* data = body_->modal()) {
    modal_ = *data;
    modal_.load = static_cast<int>(load_);
  }
}

void AppliedForces::add_forces(View q, Out f) const {
  if (forces_->empty()) return;
  const auto room = rooms_->borrow();
  for (const AppliedForce& one : *forces_) {
    const std::array at{one.at};
    if (!one.force.isZero(0.0)) {
      body_->point_rows(q, q, at, room->rows);
      add_transposed(room->rows, one.force, f);
    }
    if (!one.torque.isZero(0.0)) {
      body_->spin_rows(q, q, at, room->rows);
      add_transposed(room->rows, one.torque, f);
    }
  }
}

void AppliedForces::force(double t, View q, View v, Out f) const {
  body_->force(t, q, v, f);
  add_forces(q, f);
}

void AppliedForces::load(double t, View q, View v, Out f) const {
  body_->load(t, q, v, f);
  add_forces(q, f);
}

void AppliedForces::reactions(double t, View q, View v, View a, Out forces) const {
  body_->reactions(t, q, v, a, forces);
  if (forces_->empty()) return;
  const auto room = rooms_->borrow();
  room->at.clear();
  room->f.resize(3 * static_cast<Eigen::Index>(forces_->size()));
  for (const AppliedForce& one : *forces_) {
    room->f.segment<3>(3 * static_cast<Eigen::Index>(room->at.size())) = one.force;
    room->at.push_back(one.at);
  }
  body_->point_reactions(t, q, room->at, room->f, forces);
}

void AppliedForces::power(double t, std::optional<double> held, View q, View v, View w,
                          std::span<double> by_source) const {
  const std::size_t own = body_->sources().size();
  body_->power(t, held, q, v, w, by_source.first(own));
  double power = 0.0;
  if (!forces_->empty()) {
    const auto room = rooms_->borrow();
    room->x.setZero(w.size());
    add_forces(q, room->x);
    power = room->x.dot(w);
  }
  by_source[load_] = (load_ < own ? by_source[load_] : 0.0) + power;
}

}  // namespace saltus
