// A scene as a Model of Saltus.
#pragma once
#include <tbb/task_arena.h>

#include <memory>
#include <optional>

#include "bench/rigid/engine.h"
#include "saltus/bodies/rigid.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

namespace saltus_bench {

inline saltus::Vector3 vector(const Triple& x) { return {x[0], x[1], x[2]}; }

inline saltus::Shape shape_of(const Solid& solid) {
  if (solid.ball) return saltus::Sphere{solid.half[0]};
  return saltus::Box{vector(solid.half)};
}

/// One scheme, solver and law. Settings: scheme, solver, tolerance, sweeps (0: as many as the tolerance needs), law
/// (newton-impact, stewart-trinkle), instant (start, middle, end), margin (of the smallest half length), threads,
/// trace (1: a line a step).
class Saltus final : public Engine {
 public:
  Saltus(const Scene& scene, Settings& settings)
      : scene_(scene),
        scheme_(settings.text("scheme", "rig-pos")),
        solver_(settings.text("solver", "body-gauss-seidel")),
        law_(settings.text("law", "newton-impact")),
        instant_(settings.text("instant", "middle")),
        tolerance_(settings.number("tolerance", 1e-8)),
        sweeps_(settings.count("sweeps", 0)),
        threads_(settings.count("threads", 1)),
        arena_(threads_) {
    margin_ = settings.number("margin", 0.02) * scene.size;
    trace_ = settings.count("trace", 0) != 0;
    build(scene.fixed.size(), nullptr);
  }

  std::string name() const override {
    return "saltus " + scheme_ + ", " + law_ + ", " + solver_ + ", " +
           (sweeps_ > 0 ? std::to_string(sweeps_) + " sweeps"
                        : "tolerance " + short_text(tolerance_)) +
           (threads_ > 1 ? ", " + std::to_string(threads_) + " threads" : "");
  }
  void step(double h) override {
    arena_.execute([&] { report_ = simulation_->advance(h); });
    passes_.push_back(report_.passes);
    iterations_.push_back(report_.iterations);
    residual_ = std::max(residual_, report_.residual);
    after_ = std::max(after_, report_.residual_after);
    failed_ += report_.converged ? 0 : 1;
    if (trace_)
      std::fprintf(stderr, "%.4f contacts %d passes %d iterations %d residual %.2e gap %.2e\n",
                   simulation_->state().t, report_.contacts, report_.passes, report_.iterations,
                   report_.residual, report_.gap);
  }
  void release() override {
    const saltus::State now = simulation_->state();
    build(scene_.fixed.size() - static_cast<std::size_t>(scene_.released), &now);
  }
  void get(std::vector<BodyState>& bodies) const override {
    const saltus::GroupState& state = simulation_->state().groups[0];
    bodies.resize(scene_.bodies.size());
    saltus::Vector v(6 * static_cast<Eigen::Index>(bodies.size()));
    simulation_->velocity(0, v);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const auto q = state.q.segment<7>(7 * k);
      const saltus::Quaternion Q(q[3], q[4], q[5], q[6]);
      const saltus::Vector3 omega = Q * v.segment<3>(6 * k + 3);
      bodies[i] = {{q[0], q[1], q[2]},
                   {q[3], q[4], q[5], q[6]},
                   {v[6 * k], v[6 * k + 1], v[6 * k + 2]},
                   {omega[0], omega[1], omega[2]}};
    }
  }
  void set(const std::vector<BodyState>& bodies) override {
    start_ = bodies;
    build(scene_.fixed.size(), nullptr);
  }
  int contacts() const override { return report_.contacts; }
  double penetration() const override { return std::max(0.0, -report_.gap); }
  double seconds() const override {
    return threads_ > 1 ? clock_seconds(CLOCK_MONOTONIC) : cpu_seconds();
  }
  std::string more() const override {
    char text[200];
    std::snprintf(text, sizeof text,
                  ", \"passes\": %d, \"iterations\": %d, \"residual\": %.2e, "
                  "\"residual_after\": %.2e, \"failed_steps\": %d",
                  median(passes_), median(iterations_), residual_, after_, failed_);
    return text;
  }
  void observe(saltus::ContactObserver* observer) {
    observer_ = observer;
    simulation_->observe(observer);
  }

 private:
  static std::string short_text(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
  }

  /// From `state`, or from the start.
  void build(std::size_t fixed, const saltus::State* state) {
    using namespace saltus;
    ModelParts parts;
    RigidSystem system;
    system.gravity = vector(scene_.gravity);
    GroupState first;
    const auto n = static_cast<Eigen::Index>(scene_.bodies.size());
    first.q.resize(7 * n);
    first.v.setZero(6 * n);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const Solid& solid = scene_.bodies[i];
      const Shape shape = shape_of(solid);
      const SolidMoments moments = saltus::moments(shape);
      RigidBody body;
      body.mass = solid.mass;
      body.inertia = solid.mass / moments.volume * moments.inertia;
      system.bodies.push_back(body);
      const auto k = static_cast<Eigen::Index>(i);
      first.q.segment<7>(7 * k) << vector(solid.centre), 1.0, 0.0, 0.0, 0.0;
      if (!start_.empty()) {
        const auto& [x, Q, v, omega] = start_[i];
        const Quaternion turn(Q[0], Q[1], Q[2], Q[3]);
        first.q.segment<7>(7 * k) << vector(x), Q[0], Q[1], Q[2], Q[3];
        first.v.segment<6>(6 * k) << vector(v), turn.conjugate() * vector(omega);
      }
      parts.surfaces.frames.push_back({0, static_cast<int>(i), "body " + std::to_string(i)});
      parts.surfaces.colliders.push_back({shape, {}, static_cast<int>(i), 0});
    }
    for (std::size_t i = 0; i < fixed; ++i) {
      const Solid& solid = scene_.fixed[i];
      Pose at;
      at.x = vector(solid.centre);
      at.R = Eigen::AngleAxisd(solid.yaw, Vector3::UnitZ()).toRotationMatrix();
      parts.surfaces.colliders.push_back({shape_of(solid), at, -1, 0});
    }
    std::shared_ptr<const Scheme> scheme;
    for (const SchemeRow& row : schemes())
      if (row.name == scheme_) scheme = row.make_default();
    const SolverRow* const solver = find_solver(solver_);
    if (!scheme || !solver) {
      std::fprintf(stderr, "saltus_time: no scheme %s or no solver %s\n", scheme_.c_str(),
                   solver_.c_str());
      std::exit(2);
    }
    parts.groups.push_back(
        {"bodies", "rigid", std::make_shared<Rigid>(std::move(system)), std::move(scheme), {}});
    parts.initial.push_back(std::move(first));
    if (law_ == "newton-impact") {
      NewtonImpact law;
      law.friction = scene_.friction;
      law.rolling = scene_.rolling;
      parts.laws.emplace_back(law);
    } else {
      if (scene_.rolling > 0.0) {
        std::fprintf(stderr, "saltus_time: stewart-trinkle has no rolling friction\n");
        std::exit(2);
      }
      StewartTrinkle law;
      law.friction = scene_.friction;
      parts.laws.emplace_back(law);
    }
    parts.surfaces.law = {0};
    parts.surfaces.margin = margin_;
    parts.solver = solver->make();
    parts.options.h = scene_.step;
    parts.options.end = scene_.end;
    parts.options.instant = instant_ == "start"    ? ContactInstant::start
                            : instant_ == "middle" ? ContactInstant::middle
                                                   : ContactInstant::end;
    parts.options.on_failure = OnFailure::accept;
    parts.options.contact = {tolerance_, sweeps_ > 0 ? sweeps_ : 100'000};
    parts.options.ledger = false;
    Model model(std::move(parts));
    if (state)
      simulation_.emplace(std::move(model), *state);
    else
      simulation_.emplace(std::move(model));
    simulation_->observe(observer_);
  }

  const Scene& scene_;
  std::string scheme_, solver_, law_, instant_;
  double tolerance_;
  int sweeps_, threads_;
  tbb::task_arena arena_;
  double margin_ = 0.0;
  bool trace_ = false;
  std::vector<BodyState> start_;
  std::optional<saltus::Simulation> simulation_;
  saltus::ContactObserver* observer_ = nullptr;
  saltus::StepReport report_;
  std::vector<int> passes_, iterations_;
  double residual_ = 0.0, after_ = 0.0;
  int failed_ = 0;
};

}  // namespace saltus_bench
