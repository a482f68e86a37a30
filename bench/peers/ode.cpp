// The Open Dynamics Engine in double precision, one thread. METHOD `step`: dWorldStep, a dense direct solver; `quick`:
// dWorldQuickStep, followed by the number of sweeps (`quick 1000`; default 100). PARAMETER: the step. Error reduction 0.2
// and constraint force mixing 1e-10, the defaults of the library; friction by the pyramid that follows the normal force.
#include <ode/ode.h>

#include <stdexcept>

#include "blocks.h"
#include "peer.h"

namespace {

using namespace peers;

class World {
 public:
  World(const std::string& method, double friction, double restitution = 0.0)
      : quick_(method.starts_with("quick")), friction_(friction), restitution_(restitution) {
    if (!quick_ && method != "step") throw std::runtime_error("method step, quick");
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(space_, -6, 3);
    group_ = dJointGroupCreate(0);
    gravity(0.0, 0.0, -scenes::kGravity);
    dWorldSetQuickStepNumIterations(world_,
                                    method.size() > 5 ? std::atoi(method.c_str() + 5) : 100);
  }
  ~World() {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  World(const World&) = delete;

  /// Call it before the first shape is added: a sweep-and-prune space replaces the hash space.
  void sweep() {
    dSpaceDestroy(space_);
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
  }
  void gravity(double x, double y, double z) { dWorldSetGravity(world_, x, y, z); }
  void plane(double a, double b, double c, double d) { dCreatePlane(space_, a, b, c, d); }
  void floor() { plane(0.0, 0.0, 1.0, 0.0); }
  dBodyID body(double m, const double* inertia, double x, double y, double z) {
    const dBodyID made = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, m, 0, 0, 0, inertia[0], inertia[1], inertia[2], 0, 0, 0);
    dBodySetMass(made, &mass);
    dBodySetPosition(made, x, y, z);
    bodies_.push_back(made);
    return made;
  }
  dBodyID box(double m, const double* half, double x, double y, double z) {
    const double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
    const double inertia[] = {m * (b + c) / 3.0, m * (a + c) / 3.0, m * (a + b) / 3.0};
    const dBodyID made = body(m, inertia, x, y, z);
    dGeomSetBody(dCreateBox(space_, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]), made);
    return made;
  }
  dBodyID ball(double m, double r, double x, double y, double z) {
    const double i = 0.4 * m * r * r, inertia[] = {i, i, i};
    const dBodyID made = body(m, inertia, x, y, z);
    dGeomSetBody(dCreateSphere(space_, r), made);
    return made;
  }
  dWorldID id() const { return world_; }
  void step(double h) {
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<World*>(self)->touch(a, b); });
    if (quick_)
      dWorldQuickStep(world_, h);
    else
      dWorldStep(world_, h);
    dJointGroupEmpty(group_);
  }
  void places(std::vector<double>& values) const {
    for (const dBodyID body : bodies_)
      values.insert(values.end(), dBodyGetPosition(body), dBodyGetPosition(body) + 3);
  }

 private:
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
      contact.surface.mu = friction_;
      if (restitution_ > 0.0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = restitution_;
        contact.surface.bounce_vel = 0.0;
      }
      dJointAttach(dJointCreateContact(world_, group_, &contact), body_a, body_b);
    }
  }

  bool quick_;
  double friction_, restitution_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
};

/// The heap in the fastest space of ODE for it: 10 % less time than with the hash space.
class SweptWorld : public World {
 public:
  SweptWorld(const std::string& method, double friction) : World(method, friction) { sweep(); }
};

Outcome top(double h, const std::string& method) {
  using namespace scenes::top;
  World world(method, 0.0);
  const double own[] = {inertia[0] - mass * arm * arm, inertia[1] - mass * arm * arm, inertia[2]};
  const dBodyID body = world.body(mass, own, 0.0, -arm * std::sin(tilt), arm * std::cos(tilt));
  const dQuaternion turn = {std::cos(0.5 * tilt), std::sin(0.5 * tilt), 0.0, 0.0};
  dBodySetQuaternion(body, turn);
  dBodySetAngularVel(body, 0.0, -spin * std::sin(tilt), spin * std::cos(tilt));
  const dJointID pin = dJointCreateBall(world.id(), nullptr);
  dJointAttach(pin, body, nullptr);
  dJointSetBallAnchor(pin, 0.0, 0.0, 0.0);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        values.insert(values.end(), dBodyGetQuaternion(body), dBodyGetQuaternion(body) + 4);
      });
}

Outcome ball(double h, const std::string& method) {
  using namespace scenes::ball;
  World world(method, 0.0, restitution);
  world.plane(0, 0, 1, 0);
  const dBodyID body = world.ball(mass, radius, 0.0, 0.0, radius + height);
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { values.push_back(dBodyGetPosition(body)[2] - radius); });
}

Outcome incline(double h, const std::string& method) {
  using namespace scenes::incline;
  World world(method, friction);
  world.floor();
  world.gravity(-scenes::kGravity * std::sin(slope), 0.0, -scenes::kGravity * std::cos(slope));
  dBodySetLinearVel(world.box(mass, half, 0.0, 0.0, half[2]), speed, 0.0, 0.0);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

Outcome chain(double h, const std::string& method) {
  using namespace scenes::chain;
  World world(method, 0.0);
  const double across = mass * (rod * rod + width * width) / 12.0;
  const double inertia[] = {mass * width * width / 6.0, across, across};
  std::vector<dBodyID> rods;
  for (int i = 0; i < links; ++i) {
    const dBodyID link = world.body(mass, inertia, (i + 0.5) * rod, 0.0, 0.0);
    const dJointID hinge = dJointCreateHinge(world.id(), nullptr);
    dJointAttach(hinge, link, i > 0 ? rods.back() : nullptr);
    dJointSetHingeAnchor(hinge, i * rod, 0.0, 0.0);
    dJointSetHingeAxis(hinge, 0.0, 1.0, 0.0);
    rods.push_back(link);
  }
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        for (const dBodyID body : rods) {
          values.push_back(dBodyGetPosition(body)[0]);
          values.push_back(dBodyGetPosition(body)[2]);
        }
      });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, "ODE 0.16",
                 {{"top", top},
                  {"ball", ball},
                  {"incline", incline},
                  {"stack", stack_of<World>},
                  {"wall", wall_of<World>},
                  {"pile", pile_of<World>},
                  {"heap", heap_of<SweptWorld>},
                  {"chain", chain}});
}
