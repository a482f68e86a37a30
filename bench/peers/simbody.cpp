// Simbody: joints in their own coordinates, integrators with error control. PARAMETER: accuracy. METHOD: merson
// (RungeKuttaMerson), feldberg (RungeKuttaFeldberg), verlet or cpodes. Impacts are events that are located, with Newton's
// law applied by the handler. Contacts of Simbody 3.7 are compliant: scenes with friction at rigid contacts are left out.
#include <Simbody.h>

#include <memory>
#include <stdexcept>

#include "peer.h"

namespace {

using namespace peers;
using namespace SimTK;

std::unique_ptr<Integrator> integrator_of(const System& system, const std::string& method,
                                          double accuracy) {
  std::unique_ptr<Integrator> made;
  if (method == "merson")
    made = std::make_unique<RungeKuttaMersonIntegrator>(system);
  else if (method == "feldberg")
    made = std::make_unique<RungeKuttaFeldbergIntegrator>(system);
  else if (method == "verlet")
    made = std::make_unique<VerletIntegrator>(system);
  else if (method == "cpodes")
    made = std::make_unique<CPodesIntegrator>(system, CPodes::Adams, CPodes::Functional);
  else
    throw std::runtime_error("method merson, feldberg, verlet, cpodes");
  made->setAccuracy(accuracy);
  return made;
}

template <class Look>
Outcome go(MultibodySystem& system, const State& start, const std::vector<double>& rows,
           double accuracy, const std::string& method, Look&& look) {
  const auto integrator = integrator_of(system, method, accuracy);
  TimeStepper stepper(system, *integrator);
  stepper.initialize(start);
  Outcome outcome;
  const Clock clock;
  for (const double row : rows) {
    stepper.stepTo(row);
    look(stepper.getState(), outcome.values);
  }
  outcome.seconds = clock.seconds();
  outcome.steps = integrator->getNumStepsTaken();
  return outcome;
}

std::vector<double> even(double end, int rows) {
  std::vector<double> when;
  for (int k = 1; k <= rows; ++k) when.push_back(end * k / rows);
  return when;
}

Outcome top(double accuracy, const std::string& method) {
  using namespace scenes::top;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, -ZAxis, scenes::kGravity);
  // inertia about the origin of the body, which is the fixed point
  Body::Rigid body(
      MassProperties(mass, Vec3(0, 0, arm), Inertia(inertia[0], inertia[1], inertia[2])));
  MobilizedBody::Ball ball(matter.Ground(), Transform(), body, Transform());
  system.realizeTopology();
  State state = system.getDefaultState();
  ball.setQToFitRotation(state, Rotation(tilt, XAxis));
  ball.setUToFitAngularVelocity(state, Rotation(tilt, XAxis) * Vec3(0, 0, spin));
  return go(system, state, {end}, accuracy, method,
            [&](const State& s, std::vector<double>& values) {
              const Quaternion q = ball.getBodyRotation(s).convertRotationToQuaternion();
              values.insert(values.end(), {q[0], q[1], q[2], q[3]});
            });
}

Outcome chain(double accuracy, const std::string& method) {
  using namespace scenes::chain;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, -ZAxis, scenes::kGravity);
  const double across = mass * (rod * rod + width * width) / 12.0;
  Body::Rigid body(
      MassProperties(mass, Vec3(0), Inertia(mass * width * width / 6.0, across, across)));
  const Rotation axis(-Pi / 2, XAxis);  // the pin turns about z, which this lays along y
  std::vector<MobilizedBody::Pin> rods;
  for (int i = 0; i < links; ++i) {
    MobilizedBody& parent = i > 0 ? static_cast<MobilizedBody&>(rods.back()) : matter.Ground();
    rods.push_back(MobilizedBody::Pin(parent, Transform(axis, Vec3(i > 0 ? 0.5 * rod : 0.0, 0, 0)),
                                      body, Transform(axis, Vec3(-0.5 * rod, 0, 0))));
  }
  system.realizeTopology();
  return go(system, system.getDefaultState(), even(end, rows), accuracy, method,
            [&](const State& s, std::vector<double>& values) {
              for (const auto& link : rods) {
                values.push_back(link.getBodyOriginLocation(s)[0]);
                values.push_back(link.getBodyOriginLocation(s)[2]);
              }
            });
}

/// Newton's law where a coordinate meets a stop.
class Impact : public TriggeredEventHandler {
 public:
  Impact(const MobilizedBody::Slider& body, double stop, double side, double restitution)
      : TriggeredEventHandler(Stage::Position),
        body_(body),
        stop_(stop),
        side_(side),
        restitution_(restitution) {
    getTriggerInfo().setTriggerOnRisingSignTransition(false);
    getTriggerInfo().setRequiredLocalizationTimeWindow(1e-9);
  }
  Real getValue(const State& s) const override { return side_ * (body_.getLength(s) - stop_); }
  void handleEvent(State& s, Real, bool&) const override {
    body_.setRate(s, -restitution_ * body_.getRate(s));
  }

 private:
  mutable MobilizedBody::Slider body_;  // setRate() is not const
  double stop_, side_, restitution_;
};

Outcome ball(double accuracy, const std::string& method) {
  using namespace scenes::ball;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, -XAxis, scenes::kGravity);
  Body::Rigid body(MassProperties(mass, Vec3(0), UnitInertia::sphere(radius) * mass));
  MobilizedBody::Slider slider(matter.Ground(), body);  // along x
  system.addEventHandler(new Impact(slider, 0.0, 1.0, restitution));
  system.realizeTopology();
  State state = system.getDefaultState();
  slider.setLength(state, height);
  return go(
      system, state, even(end, rows), accuracy, method,
      [&](const State& s, std::vector<double>& values) { values.push_back(slider.getLength(s)); });
}

class Drive : public Force::Custom::Implementation {
 public:
  explicit Drive(const MobilizedBody::Slider& body) : body_(body) {}
  void calcForce(const State& s, Vector_<SpatialVec>&, Vector_<Vec3>&,
                 Vector& mobility) const override {
    using namespace scenes::impact;
    const double f = force * std::cos(angular_frequency * (s.getTime() + phase)) -
                     damping * body_.getRate(s) - body_.getLength(s);
    body_.applyOneMobilityForce(s, 0, f, mobility);
  }
  Real calcPotentialEnergy(const State&) const override { return 0.0; }

 private:
  MobilizedBody::Slider body_;
};

Outcome impact(double accuracy, const std::string& method) {
  using namespace scenes::impact;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Body::Rigid body(MassProperties(1.0, Vec3(0), UnitInertia::sphere(0.1)));
  MobilizedBody::Slider slider(matter.Ground(), body);
  Force::Custom drive(forces, new Drive(slider));
  system.addEventHandler(new Impact(slider, stop, -1.0, restitution));
  system.realizeTopology();
  State state = system.getDefaultState();
  slider.setLength(state, stop - 1e-12);
  slider.setRate(state, -restitution * speed);
  std::vector<double> when;
  for (int k = 0; k < periods; ++k) when.push_back((2 * k + 1) * Pi / angular_frequency);
  return go(
      system, state, when, accuracy, method,
      [&](const State& s, std::vector<double>& values) { values.push_back(slider.getLength(s)); });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, "Simbody 3.7",
                 {{"top", top}, {"chain", chain}, {"ball", ball}, {"impact", impact}});
}
