#include "saltus/assembly/surface_finder.h"

#include <algorithm>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/model/moving_points.h"
#include "saltus/model/surface_setup.h"
#include "saltus/state/state.h"

namespace saltus {

SurfaceFinder::SurfaceFinder(const Model& model, std::vector<int> groups, double margin)
    : model_(model), frames_(model, std::move(groups)), poses_(frames_.count()) {
  if (frames_.count() == 0 && frames_.boundaries().empty()) return;
  const Surfaces& surfaces = model.surfaces();
  for (std::size_t c = 0; c < surfaces.colliders.size(); ++c) {
    Collider collider = surfaces.colliders[c];
    if (collider.frame >= 0) {
      if (frames_.of_model(collider.frame) < 0) continue;
      collider.frame = frames_.of_model(collider.frame);
    }
    own_colliders_.push_back(std::move(collider));
    if (!surfaces.runs.empty()) runs_.push_back(surfaces.runs[c]);
  }
  if (frames_.count() > 0) make_detector(margin);
  colliders_ = shapes_ ? shapes_->colliders() : std::span<const Collider>(own_colliders_);
  if (!frames_.boundaries().empty()) make_boundary_detector(margin);
}

void SurfaceFinder::make_detector(double margin) {
  const Surfaces& surfaces = model_.surfaces();
  const auto frames = static_cast<int>(surfaces.frames.size());
  std::vector<std::array<int, 2>> excluded;
  const auto number = [&](int frame) { return frames_.of_model(frame); };
  for (const auto& [f, g] : surfaces.excluded)  // one of them may be a fixed body
    if (f < frames && g < frames && (f < 0 || number(f) >= 0) && (g < 0 || number(g) >= 0))
      excluded.push_back({number(f), number(g)});
  shapes_.emplace(std::move(own_colliders_), margin, std::move(excluded));
  own_colliders_.clear();
}

void SurfaceFinder::make_boundary_detector(double margin) {
  const Surfaces& surfaces = model_.surfaces();
  std::vector<DeformingShape> shapes;
  std::vector<int> boundaries, frame_numbers;
  for (const SurfaceFrames::Boundary& on : frames_.boundaries()) {
    const Surfaces::DeformingBoundary& boundary = frames_.of(on);
    shapes.push_back(shape_at_start(boundary, frames_.dynamics(at(on.member)),
                                    model_.initial()[at(boundary.group)]));
    boundaries.push_back(on.in_model);
  }
  for (int f = 0; f < std::ssize(surfaces.frames); ++f)
    frame_numbers.push_back(frames_.of_model(f));
  std::vector<char> meets;
  for (const int law : surfaces.law) meets.push_back(law >= 0 ? 1 : 0);
  boundaries_.emplace(std::move(shapes), colliders_, margin, surfaces.materials, meets,
                      excluded_boundaries(surfaces, colliders_, frame_numbers, boundaries));
}

void SurfaceFinder::add_laws(std::vector<int>& laws) const {
  if (empty()) return;
  for (const int law : model_.surfaces().law)
    if (law >= 0) laws.push_back(law);
}

void SurfaceFinder::place(double t, Configurations q) {
  frames_.place(t, q, poses_);
  for (std::size_t k = 0; k < frames_.boundaries().size(); ++k)
    frames_.place(t, q, k, boundaries_->vertices(static_cast<int>(k)));
}

bool SurfaceFinder::acts(int a, int b) const {
  const Collider &first = colliders_[at(a)], &second = colliders_[at(b)];
  return law_of(first.material, second.material) >= 0 &&
         (frames_.moves(first.frame) || frames_.moves(second.frame));
}

// The point of the frame of a collider that is now at x, and the running direction of its surface.
void SurfaceFinder::put_side(Touch::Side& side, int collider, const Vector3& x) const {
  side = {-1, {}, x};
  const int frame = colliders_[at(collider)].frame;
  if (!runs_.empty() && runs_[at(collider)] >= 0) {
    side.runs = runs_[at(collider)];
    side.along = model_.running()[at(side.runs)].along;
    if (frame >= 0) side.along = poses_[at(frame)].R * side.along;
  }
  if (frame < 0) return;
  const Pose& pose = poses_[at(frame)];
  side.member = frames_.member(frame);
  side.ref = {frames_.body(frame), 0, pose.R.transpose() * (x - pose.x)};
}

// Friction axis of a contact of two colliders, or of a collider and a boundary surface: it is fixed
// to the body of one material.
Vector3 SurfaceFinder::axis_of(int law, int a, int b) const {
  const Surfaces& surfaces = model_.surfaces();
  if (law >= std::ssize(surfaces.axis_material) || surfaces.axis_material[at(law)] < 0)
    return Vector3::Zero();
  const int material = surfaces.axis_material[at(law)];
  const int frame = colliders_[at(a >= 0 && colliders_[at(a)].material == material ? a : b)].frame;
  const Vector3 axis(model_.law(law).facts().friction.axis.data());
  if (frame >= 0) return poses_[at(frame)].R * axis;
  const auto fixed = at(-1 - frame);
  return fixed < surfaces.fixed_turn.size() ? surfaces.fixed_turn[fixed] * axis : axis;
}

std::size_t SurfaceFinder::find(double t, Configurations q, const SurfaceCourse* course) {
  touches_.clear();
  found_.clear();
  motion_.end();
  place(t, q);
  if (shapes_) {
    shapes_->detect(poses_, found_);
    std::erase_if(found_, [&](const DetectedContact& found) { return !acts(found.a, found.b); });
    if (course) motion_.follow(*course, q, poses_, found_, *shapes_);
  }
  if (boundaries_) take_boundaries(t, q, course);
  return found_.size() + touches_.size();
}

SurfaceFinder::Touch SurfaceFinder::touch(std::size_t k) const {
  if (k >= found_.size()) return touches_[k - found_.size()];
  const DetectedContact& found = found_[k];
  const Collider &a = colliders_[at(found.a)], &b = colliders_[at(found.b)];
  const Vector3& n = found.point.normal;
  Touch touch{found.key, law_of(a.material, b.material), n, found.point.gap, {}};
  touch.axis = axis_of(touch.law, found.a, found.b);
  const std::array<int, 2> frames{a.frame, b.frame};
  const Vector3 x = motion_.place(frames, found.point);
  put_side(touch.side[0], found.a, x);
  put_side(touch.side[1], found.b, x);
  if (!motion_.active()) return touch;
  const SurfaceMotion::Carried carried = motion_.carried(k, frames, x, n);
  touch.normal = carried.normal;
  touch.carried = carried.rate;
  for (std::size_t s = 0; s < 2; ++s) {
    touch.side[s].place = carried.place[s];
    if (frames[s] >= 0) touch.side[s].ref.local = carried.local[s];
  }
  return touch;
}

SurfaceFinder::Heading SurfaceFinder::heading(std::size_t k) const {
  if (k >= found_.size()) return touches_[k - found_.size()].heading();
  const Collider &a = colliders_[at(found_[k].a)], &b = colliders_[at(found_[k].b)];
  return {law_of(a.material, b.material), {frames_.member(a.frame), frames_.member(b.frame)}};
}

int SurfaceFinder::material_of(const SurfaceSide& side) const {
  return side.boundary < 0 ? colliders_[at(side.collider)].material
                           : frames_.of(frames_.boundaries()[at(side.boundary)]).material;
}

// False if no velocity moves one of the points along the normal: held nodes against the world,
// against bodies with prescribed motion, or against each other. Their rows would be zero, and held
// points do not move.
bool SurfaceFinder::acts(const Touch& touch, Configurations q) {
  for (const std::size_t s : {1u, 0u}) {  // a rigid body decides at once
    const Touch::Side& side = touch.side[s];
    if (side.member < 0) continue;
    const auto m = at(side.member);
    const Dynamics& body = frames_.dynamics(m);
    if (body.velocities() == 0) continue;
    if (body.prescribed() == 0) return true;
    body.point_rows(*q[m], *q[m], std::span(&side.ref, 1), rows_);
    if (motion_along(rows_, 0, touch.normal) > kStillAlong) return true;
  }
  return false;
}

// The point of a shape at which it meets a boundary surface is that of the middle of the step.
void SurfaceFinder::put_to_middle(Touch& touch, const SurfaceCourse& course, int collider) {
  const int frame = colliders_[at(collider)].frame;
  if (frame < 0) return;
  const Touch::Side& own = touch.side[0];
  Vector3 x;
  frames_.dynamics(at(own.member))
      .points(motion_.middle_time(), *course.middle[at(own.member)], std::span(&own.ref, 1), x);
  const Pose& middle = motion_.middle(frame);
  touch.side[1].ref.local = middle.R.transpose() * (x - middle.x);
  touch.side[1].place = poses_[at(frame)] * touch.side[1].ref.local;
}

// Points of facets are points of the element, which a flat facet only approximates, so their
// positions are computed.
void SurfaceFinder::take_boundaries(double t, Configurations q, const SurfaceCourse* course) {
  boundaries_->detect(poses_, found_boundaries_);
  for (const SurfaceContact& found : found_boundaries_) {
    Touch touch{
        found.key, law_of(material_of(found.a), material_of(found.b)), found.normal, found.gap, {}};
    if (found.b.boundary < 0) touch.axis = axis_of(touch.law, -1, found.b.collider);
    const SurfaceSide* sides[2] = {&found.a, &found.b};
    for (std::size_t s = 0; s < 2; ++s) {
      if (sides[s]->boundary < 0) continue;
      const SurfaceFrames::Boundary& on = frames_.boundaries()[at(sides[s]->boundary)];
      const BoundarySurface& boundary = frames_.of(on).boundary;
      touch.side[s].member = on.member;
      touch.side[s].ref = sides[s]->vertex >= 0
                              ? boundary.vertices[at(sides[s]->vertex)]
                              : boundary.facets[at(sides[s]->facet)].point(sides[s]->weight);
    }
    touches_.push_back(touch);
  }
  // the sides of each member, in order
  asked_begin_.assign(frames_.members() + 2, 0);
  const auto each_side = [&](const auto& use) {
    for (std::size_t i = 0; i < touches_.size(); ++i)
      for (std::size_t s = 0; s < 2; ++s)
        if (const int m = touches_[i].side[s].member; m >= 0) use(at(m), i, s);
  };
  each_side([&](std::size_t m, std::size_t, std::size_t) { ++asked_begin_[m + 2]; });
  for (std::size_t m = 2; m < asked_begin_.size(); ++m) asked_begin_[m] += asked_begin_[m - 1];
  asked_.resize(asked_begin_.back());
  each_side([&](std::size_t m, std::size_t i, std::size_t s) {
    asked_[asked_begin_[m + 1]++] = {i, s};
  });
  for (std::size_t m = 0; m < frames_.members(); ++m) {
    const auto asked =
        std::span(asked_).subspan(asked_begin_[m], asked_begin_[m + 1] - asked_begin_[m]);
    if (asked.empty()) continue;
    refs_.clear();
    for (const auto& [i, s] : asked) refs_.push_back(touches_[i].side[s].ref);
    places_.resize(3 * std::ssize(refs_));
    frames_.dynamics(m).points(t, *q[m], refs_, places_);
    for (std::size_t k = 0; k < asked.size(); ++k)
      touches_[asked[k][0]].side[asked[k][1]].place =
          places_.segment<3>(3 * static_cast<Eigen::Index>(k));
  }
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const SurfaceSide& b = found_boundaries_[i].b;
    if (b.boundary >= 0) continue;
    put_side(touches_[i].side[1], b.collider, touches_[i].side[0].place);
    if (course && motion_.active()) put_to_middle(touches_[i], *course, b.collider);
  }
  std::erase_if(touches_, [&](const Touch& touch) { return !acts(touch, q); });
}

// Puts contacts of shapes in found_, those of boundary surfaces in touches_.
void SurfaceFinder::refine(double t, Configurations q) {
  place(t, q);
  touches_.clear();
  if (shapes_) shapes_->refine(poses_, found_);
  if (boundaries_) take_boundaries(t, q);
}

double SurfaceFinder::least_gap(double t, Configurations q) {
  double least = std::numeric_limits<double>::infinity();
  each_gap(t, q, [&](std::uint64_t, double gap) { least = -worse(-least, -gap); });
  if (least != std::numeric_limits<double>::infinity()) return least;
  Clearance apart;
  if (shapes_) apart = shapes_->clearance([&](int a, int b) { return acts(a, b); });
  if (boundaries_) apart.add(boundaries_->clearance());
  return apart.least();
}

void SurfaceFinder::find_passed(const SurfacePassages::Start& start,
                                const SurfacePassages::ActedPairs& acted,
                                const std::function<void(const SurfacePassages::Passed&)>& use) {
  if (!passages_) passages_ = std::make_unique<SurfacePassages>(model_, frames_, colliders_);
  passages_->find(start, {poses_, boundaries_ ? &*boundaries_ : nullptr}, acted, use);
}

std::array<int, 2> SurfaceFinder::bodies_of(std::uint64_t key) const {
  const auto frames = static_cast<int>(model_.surfaces().frames.size());
  const auto body = [&](int number) {
    const auto colliders = static_cast<int>(colliders_.size());
    if (number >= colliders) return frames + frames_.boundaries()[at(number - colliders)].in_model;
    return frames_.in_model(colliders_[at(number)].frame);
  };
  const KeyLayout keys = shapes_ ? shapes_->keys() : KeyLayout{};
  const int a = body(keys.a(key)), b = body(keys.b(key));
  return {std::min(a, b), std::max(a, b)};
}

double SurfaceFinder::size_of(std::uint64_t key) const {
  double half = std::numeric_limits<double>::infinity();
  const KeyLayout keys = shapes_ ? shapes_->keys() : KeyLayout{};
  for (const int number : {keys.a(key), keys.b(key)}) {
    if (at(number) >= colliders_.size()) return std::numeric_limits<double>::infinity();
    half = std::min(half, passages_->half_thickness(number));
  }
  return 2.0 * half;
}

}  // namespace saltus
