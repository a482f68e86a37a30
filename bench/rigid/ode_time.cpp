// A scene under the Open Dynamics Engine, in double precision, one thread.
//
//     ode_time SCENE [solver=quick|step] [sweeps=100] [and what engine.h reads]
//
// Friction is ODE's pyramid that follows the normal force (dContactApprox1); error reduction 0.2 and no constraint force
// mixing beyond 1e-10, as the library comes. quick: dWorldQuickStep; step: dWorldStep (Dantzig), which fits few contacts.
#include <ode/ode.h>

#include "bench/rigid/engine.h"

namespace {

using namespace saltus_bench;

class Ode final : public Engine {
 public:
  Ode(const Scene& scene, Settings& settings)
      : scene_(scene),
        quick_(settings.text("solver", "quick") == "quick"),
        sweeps_(settings.count("sweeps", 100)) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(space_, -6, 3);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    dWorldSetQuickStepNumIterations(world_, sweeps_);
    for (const Solid& solid : scene.bodies) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      if (solid.ball)
        dMassSetSphereTotal(&mass, solid.mass, solid.half[0]);
      else
        dMassSetBoxTotal(&mass, solid.mass, 2.0 * solid.half[0], 2.0 * solid.half[1],
                         2.0 * solid.half[2]);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, solid.centre[0], solid.centre[1], solid.centre[2]);
      dGeomSetBody(geometry(solid), body);
      bodies_.push_back(body);
    }
    for (const Solid& solid : scene.fixed) {
      const dGeomID geom = geometry(solid);
      dMatrix3 R;
      dRFromAxisAndAngle(R, 0.0, 0.0, 1.0, solid.yaw);
      dGeomSetPosition(geom, solid.centre[0], solid.centre[1], solid.centre[2]);
      dGeomSetRotation(geom, R);
      fixed_.push_back(geom);
    }
  }
  ~Ode() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  std::string name() const override {
    return quick_ ? "ode quick, " + std::to_string(sweeps_) + " sweeps" : "ode step";
  }
  void step(double h) override {
    contacts_ = 0;
    deepest_ = 0.0;
    dSpaceCollide(space_, this, near);
    if (quick_)
      dWorldQuickStep(world_, h);
    else
      dWorldStep(world_, h);
    dJointGroupEmpty(group_);
  }
  void release() override {
    for (int k = 0; k < scene_.released; ++k) {
      dGeomDestroy(fixed_.back());
      fixed_.pop_back();
    }
  }
  void get(std::vector<BodyState>& bodies) const override {
    bodies.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dReal *x = dBodyGetPosition(bodies_[i]), *Q = dBodyGetQuaternion(bodies_[i]),
                  *v = dBodyGetLinearVel(bodies_[i]), *omega = dBodyGetAngularVel(bodies_[i]);
      bodies[i] = {{x[0], x[1], x[2]},
                   {Q[0], Q[1], Q[2], Q[3]},
                   {v[0], v[1], v[2]},
                   {omega[0], omega[1], omega[2]}};
    }
  }
  void set(const std::vector<BodyState>& bodies) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto& [x, Q, v, omega] = bodies[i];
      const dQuaternion turn{Q[0], Q[1], Q[2], Q[3]};
      dBodySetPosition(bodies_[i], x[0], x[1], x[2]);
      dBodySetQuaternion(bodies_[i], turn);
      dBodySetLinearVel(bodies_[i], v[0], v[1], v[2]);
      dBodySetAngularVel(bodies_[i], omega[0], omega[1], omega[2]);
    }
  }
  int contacts() const override { return contacts_; }
  double penetration() const override { return deepest_; }

 private:
  dGeomID geometry(const Solid& solid) const {
    return solid.ball
               ? dCreateSphere(space_, solid.half[0])
               : dCreateBox(space_, 2.0 * solid.half[0], 2.0 * solid.half[1], 2.0 * solid.half[2]);
  }
  static void near(void* self, dGeomID a, dGeomID b) { static_cast<Ode*>(self)->touch(a, b); }
  void touch(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    constexpr int kPoints = 8;
    dContactGeom points[kPoints];
    const int count = dCollide(a, b, kPoints, points, sizeof(dContactGeom));
    for (int k = 0; k < count; ++k) {
      dContact contact{};
      contact.geom = points[k];
      contact.surface.mode = dContactApprox1;
      contact.surface.mu = scene_.friction;
      if (scene_.rolling > 0.0) {
        contact.surface.mode |= dContactRolling;
        contact.surface.rho = contact.surface.rho2 = scene_.rolling;
        contact.surface.rhoN = 0.0;
      }
      dJointAttach(dJointCreateContact(world_, group_, &contact), body_a, body_b);
      deepest_ = std::max(deepest_, static_cast<double>(points[k].depth));
    }
    contacts_ += count;
  }

  const Scene& scene_;
  bool quick_;
  int sweeps_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
  std::vector<dGeomID> fixed_;
  int contacts_ = 0;
  double deepest_ = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto scene = argc > 1 ? scene_of(argv[1]) : std::nullopt;
  if (!scene) {
    std::fputs("ode_time SCENE [NAME=VALUE ...]\n", stderr);
    return 2;
  }
  Settings settings(argc, argv);
  Ode engine(*scene, settings);
  return run(*scene, settings, engine);
}
