#include "saltus/scene/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "saltus/base/suggest.h"
#include "saltus/scene/advice.h"
#include "saltus/scene/build_body.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

namespace saltus {
namespace {

double polynomial(const std::vector<double>& c, double x) {  // c0 + c1 x + c2 x^2 ...
  double y = 0.0;
  for (auto k = c.rbegin(); k != c.rend(); ++k) y = y * x + *k;
  return y;
}

/// Points of the regular grid of a string.
PointList on_grid(const Modal& body, const std::string& path, auto&& height) {
  const int n = body.shapes().grid();
  if (n == 0)
    throw SceneError(path, "is for bodies with a regular grid of points: strings and hinged bars",
                     "use points or file");
  PointList points;
  for (int i = 1; i <= n; ++i) {
    const double x = i * (body.shapes().length() / (n + 1));
    points.push_back({x, height(x)});
  }
  return points;
}

/// The obstacle as points [x, h].
PointList obstacle(const Scene& scene, const AgainstSpec& against, const Modal& body,
                   const std::string& path) {
  if (against.points) return *against.points;
  if (against.file) {
    const Matrix data = read_table(scene, *against.file, 2, "x [m], h [m]", path + ".file");
    PointList points;
    for (Eigen::Index i = 0; i < data.rows(); ++i) points.push_back({data(i, 0), data(i, 1)});
    return points;
  }
  if (against.neck)
    return on_grid(body, path + ".neck", [&](double x) {
      return against.neck->until && x > *against.neck->until ? against.neck->beyond.value()
                                                             : polynomial(against.neck->height, x);
    });
  if (against.flat)
    return on_grid(body, path + ".flat", [&](double) { return against.flat->height; });
  if (const auto* list = std::get_if<PointList>(&*against.frets)) return *list;
  const auto& rule = std::get<FretRule>(*against.frets);
  PointList points;
  for (int k = 1; k <= rule.count; ++k) {  // x_k = scale (1 - 2^(-k/12))
    const double x = rule.scale * (1.0 - std::exp2(-k / 12.0));
    points.push_back({x, polynomial(rule.height, x)});
  }
  return points;
}

ContactLaw resolve(const LawChoice& choice, const SchemeChoice& scheme, ContactInstant instant) {
  ContactLaw law;
  if (const auto* impact = std::get_if<NewtonImpact>(&choice)) {
    law.rule = ContactLaw::Rule::newton_impact;
    law.restitution = impact->restitution;
    double forecast =
        impact->activation.forecast.value_or(instant == ContactInstant::start ? 0.5 : 0.0);
    if (const auto* mj = std::get_if<MoreauJeanOptions>(&scheme); mj && mj->forecasts())
      forecast = mj->gamma.value_or(0.5);
    law.activation = {forecast, impact->activation.threshold, impact->activation.velocity_threshold,
                      impact->activation.closing_only};
  } else if (const auto* paoli = std::get_if<SchatzmanPaoli>(&choice)) {
    law.rule = ContactLaw::Rule::schatzman_paoli;
    law.restitution = paoli->restitution;
  }
  return law;
}

std::size_t body_index(const SceneSpec& spec, const std::string& name, const std::string& path) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (spec.bodies[i].name == name) return i;
    names.emplace_back(spec.bodies[i].name);
  }
  throw SceneError(path, "there is no body '" + name + "'", did_you_mean(name, names));
}

std::shared_ptr<const ContactSolver> solver_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const SolverRow& row : solvers()) {
    if (row.name == name) return row.make();
    names.emplace_back(row.name);
  }
  throw SceneError("solver.kind", "there is no contact solver '" + name + "'",
                   did_you_mean(name, names));
}

class Builder {
 public:
  explicit Builder(const Scene& scene) : scene_(scene), spec_(scene.spec) {}

  Model build() {
    parts_.options.h = spec_.time.h();
    parts_.options.end = spec_.time.end;
    parts_.options.instant = spec_.contact.instant;
    parts_.options.on_failure = spec_.on_failure;
    parts_.options.contact = {spec_.solver.tolerance, spec_.solver.iterations};
    parts_.solver = solver_of(spec_.solver.kind);
    bodies();
    for (std::size_t i = 0; i < spec_.contacts.size(); ++i) contact(i);
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i) output(i);
    return Model(std::move(parts_));
  }

 private:
  void bodies() {
    double tolerance = std::numeric_limits<double>::infinity();
    int limit = 0;
    for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
      const BodySpec& body = spec_.bodies[i];
      const std::string path = fmt::format("bodies[{}]", i);
      BuiltBody built = build_body(scene_, body, path);
      if (const auto* mj = std::get_if<MoreauJeanOptions>(&body.scheme)) {
        tolerance = std::min(tolerance, mj->newton_tolerance);
        limit = std::max(limit, mj->newton_iterations);
      }
      parts_.groups.push_back({body.name, body.kind, built.modal, make_scheme(body.scheme)});
      parts_.initial.push_back(std::move(built.initial));
      parts_.group_path.push_back(path);
      modal_.push_back(std::move(built.modal));
      advise(i, path);
    }
    if (limit > 0) {
      parts_.options.pass_tolerance = tolerance;
      parts_.options.pass_limit = limit;
    }
  }

  void advise(std::size_t g, const std::string& path) {
    const BodySpec& body = spec_.bodies[g];
    const ModalData& modes = *modal_[g]->modal();
    const auto say = [&](const std::string& where, const std::optional<std::string>& advice) {
      if (advice) parts_.warnings.push_back(path + where + ": " + *advice);
    };
    const bool touched =
        std::any_of(spec_.contacts.begin(), spec_.contacts.end(),
                    [&](const ContactSpec& contact) { return contact.on == body.name; });
    if (touched && std::holds_alternative<ModalExactOptions>(body.scheme))
      say("", contact_advice(modes, spec_.time.h(), body.name));
    if (const auto* mj = std::get_if<MoreauJeanOptions>(&body.scheme); mj && mj->theta < 0.5)
      say(".scheme", stability_advice(modes, mj->theta, spec_.time.h(), body.name));
    if (body.pluck && body.string)
      say(".pluck",
          pluck_advice(body.pluck->at, body.string->length, body.string->modes, body.name));
  }

  static void shape_at(const Modal& body, double x, const std::string& path, Vector& shape) {
    try {
      body.shapes().row(x, shape);
    } catch (const SceneError& error) {
      throw SceneError(path, error.message(), error.hint());
    }
  }

  void contact(std::size_t i) {
    const ContactSpec& spec = spec_.contacts[i];
    const std::string path = fmt::format("contacts[{}]", i);
    const std::size_t g = body_index(spec_, spec.on, path + ".on");
    const Modal& body = *modal_[g];
    if (!body.has_shapes())
      throw SceneError(path + ".on", "'" + spec.on + "' has no points: its modes have no shapes",
                       "give bodies[].modes.shapes");
    parts_.laws.push_back(resolve(spec.law, spec_.bodies[g].scheme, spec_.contact.instant));
    parts_.law_path.push_back(path + ".law");
    const std::string against = path + ".against";
    const PointList points = obstacle(scene_, spec.against, body, against);
    const double table =
        8.0 * static_cast<double>(points.size()) *
        static_cast<double>(points.size() + static_cast<std::size_t>(body.positions()));
    if (table > 32e9)
      throw SceneError(against,
                       fmt::format("{} points and {} modes need {:.0f} GB", points.size(),
                                   body.positions(), 1e-9 * table),
                       "fewer points or modes");
    if (points.empty()) throw SceneError(against, "has no point", "at least one [x, h] is needed");
    const ModalPlacement& place = body.placement();
    Vector shape(body.positions());
    double worst = 0.0, worst_x = 0.0;
    for (const auto& [x, h] : points) {
      if (!(x >= 0.0 && x <= body.shapes().length()))
        throw SceneError(against, fmt::format("the point x = {} m is not on '{}'", x, spec.on),
                         fmt::format("between 0 and {} m", body.shapes().length()));
      shape_at(body, x, against, shape);
      const double still =
          body.shapes().grid() > 0 ? 1e-3 / std::sqrt(body.shapes().length()) : 1e-12;
      if (shape.lpNorm<Eigen::Infinity>() <= still)
        throw SceneError(against, fmt::format("the point x = {} m of '{}' cannot move", x, spec.on),
                         "move it away from the fixed end");
      ContactPair pair;
      pair.key = parts_.pairs.size();
      pair.a = {static_cast<int>(g), {0, 0, Vector3(x, 0.0, 0.0)}};
      pair.b = {-1, {0, 0, place.origin + x * place.axis + h * place.direction}};
      pair.normal = place.direction;
      pair.law = static_cast<int>(parts_.laws.size()) - 1;
      parts_.pairs.push_back(pair);
      const double gap = shape.dot(parts_.initial[g].q) - h;
      if (gap < worst) {
        worst = gap;
        worst_x = x;
      }
    }
    if (worst < -1e-9)
      throw SceneError(
          against,
          fmt::format("the obstacle is {:.4g} mm inside '{}' at x = {:.4g} m at the start",
                      -1e3 * worst, spec.on, worst_x),
          "lower the obstacle or change the initial state");
  }

  void output(std::size_t i) {
    const OutputSpec& spec = spec_.outputs[i];
    const std::string path = fmt::format("outputs[{}]", i);
    const std::size_t g = body_index(spec_, spec.probe, path + ".probe");
    const Modal& body = *modal_[g];
    if (!body.has_shapes())
      throw SceneError(path + ".probe",
                       "'" + spec.probe + "' has no points: its modes have no shapes",
                       "give bodies[].modes.shapes");
    if (!(spec.at >= 0.0 && spec.at <= body.shapes().length()))
      throw SceneError(path + ".at", fmt::format("{} m is not on '{}'", spec.at, spec.probe),
                       fmt::format("between 0 and {} m", body.shapes().length()));
    const double limit = spec.modes == OutputSpec::Modes::all
                             ? std::numeric_limits<double>::infinity()
                             : 2.0 * std::numbers::pi * 0.45 / spec_.time.h();
    Probe probe;
    probe.name = spec.name;
    probe.group = static_cast<int>(g);
    Vector shape(body.positions());
    shape_at(body, spec.at, path + ".at", shape);  // says where if there is no such point
    probe.table = body.probe(spec.at, limit);
    probe.quantity = spec.quantity == OutputSpec::Quantity::velocity
                         ? Probe::Quantity::velocity
                         : Probe::Quantity::displacement;
    probe.wav = spec.wav.value_or("");
    probe.csv = spec.csv.value_or("");
    probe.gain = spec.gain.value_or(0.0);
    parts_.probes.push_back(std::move(probe));
  }

  const Scene& scene_;
  const SceneSpec& spec_;
  ModelParts parts_;
  std::vector<std::shared_ptr<const Modal>> modal_;
};

}  // namespace

Model build(const Scene& scene) {
  try {
    return Builder(scene).build();
  } catch (const SceneError& error) {
    rethrow_placed(error, scene);
  }
}

}  // namespace saltus
