#include "saltus/kinds/modal_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "saltus/kinds/probe_request.h"

namespace saltus {
namespace {

unsigned modal_traits() {
  const Vector one = Vector::Ones(1);
  return Modal(one, one, Vector::Zero(1), nullptr).traits();
}

}  // namespace

KindRow modal_kind() {
  return {.kind = BodyKind::modal,
          .name = "modal",
          .summary = "a body described by its modes",
          .entries = "string, bar or modes",
          .points = "places along the body [m]",
          .cases = {{"", modal_traits()}},
          .build = [](const BodyEntry& e) { return build_modal(e.scene, e.body, e.path); },
          .coordinates = "mode",
          .weight = "write its weight as `loads`"};
}

TouchPoint ModalKind::point(const NamedBuilt& of, const PlaceSpec& at,
                            const std::string& path) const {
  const NumberOrName& given = number_or_name(of, at, path);
  const std::string& name = of.body.name;
  if (given.is_name())
    throw SceneError(path, fmt::format("'{}' is not a place on '{}'", given.name, name),
                     "a body of kind modal needs a place along it, in m");
  const double x = given.number;
  if (!body_->has_shapes())
    throw SceneError(path, "'" + name + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  if (!(x >= 0.0 && x <= body_->shapes().length()))
    throw SceneError(path, fmt::format("{} m is not on '{}'", x, name),
                     fmt::format("between 0 and {} m", body_->shapes().length()));
  Vector shape(body_->positions());
  try {
    body_->shapes().row(x, shape);
  } catch (const SceneError& error) {  // a table of mode shapes that does not cover this place
    throw SceneError(path, error.message(), error.hint());
  }
  return {{0, 0, Vector3(x, 0.0, 0.0)}, fmt::format("x = {:.4g} m", x), path};
}

std::vector<TouchPoint> ModalKind::all_points(const NamedBuilt& of, const std::string& path) const {
  throw SceneError(path, "`at` is missing: the contact point along '" + of.body.name + "'", "in m");
}

double ModalKind::largest_motion() const {
  const ModeShapes& shapes = body_->shapes();
  Vector shape(body_->positions());
  double most = 0.0;
  const auto take = [&](double x) {
    shapes.row(x, shape);
    most = std::max(most, shape.lpNorm<Eigen::Infinity>());
  };
  constexpr int kSamples = 16;
  for (int k = 0; k < kSamples && shapes.places().empty(); ++k)
    take((k + 0.5) / kSamples * shapes.length());
  for (const double x : shapes.places()) take(x);
  return most;
}

std::shared_ptr<const PointTable> ModalKind::probe_table(const ProbeRequest& request) const {
  request.expect_no_direction("outputs of a body of kind modal use its own direction");
  if (!body_->has_shapes())
    throw SceneError(request.path + ".probe",
                     "'" + request.spec.probe + "' has no points: its modes have no shapes",
                     "give bodies[].modes.shapes");
  const TouchPoint point = request.point();
  const double limit = request.spec.modes == OutputSpec::Modes::all
                           ? std::numeric_limits<double>::infinity()
                           : 2.0 * std::numbers::pi * 0.45 / request.scene.spec.time.h();
  return body_->probe(point.ref.local.x(), limit);
}

}  // namespace saltus
