// Bullet in double precision, one thread. PARAMETER: the step. METHOD: for scenes with contacts `impulses`
// (btSequentialImpulseConstraintSolver, two directions of friction), `nncg` (with conjugate gradients) or `mlcp`
// (btMLCPSolver with Dantzig's method); for joints `multibody` (coordinates of the joints, semi-implicit Euler), `rk4`
// (these coordinates with Bullet's Runge-Kutta steps) or `impulses` (constraints between bodies). `impulses` and `nncg` are
// followed by the largest number of sweeps (`impulses 1000`; default 100); they stop when a sweep changes no velocity by
// more than 1e-12.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <stdexcept>

#include "blocks.h"
#include "peer.h"

namespace {

using namespace peers;
static_assert(sizeof(btScalar) == 8);

class World {
 public:
  World(const std::string& asked, double friction, double restitution = 0.0)
      : friction_(std::sqrt(friction)), restitution_(std::sqrt(restitution)) {
    const std::string method = asked.substr(0, asked.find(' '));
    const int sweeps = method == asked ? 100 : std::atoi(asked.c_str() + method.size());
    if (method == "impulses")
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    else if (method == "nncg")
      solver_ = std::make_unique<btNNCGConstraintSolver>();
    else if (method == "mlcp")
      solver_ = std::make_unique<btMLCPSolver>(&dantzig_);
    else
      throw std::runtime_error("method impulses, nncg, mlcp");
    world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broad_, solver_.get(),
                                                       &configuration_);
    world_->setGravity({0, 0, -scenes::kGravity});
    world_->setForceUpdateAllAabbs(false);
    btContactSolverInfo& info = world_->getSolverInfo();
    info.m_numIterations = sweeps;
    info.m_leastSquaresResidualThreshold = 1e-24;
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    info.m_restitutionVelocityThreshold = 1e-3;
  }
  ~World() {
    for (const auto& hinge : joints_) world_->removeConstraint(hinge.get());
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }
  btDiscreteDynamicsWorld& world() { return *world_; }
  /// Call it before the first body is added: each body stores the gravity set at that time.
  void gravity(double x, double y, double z) { world_->setGravity({x, y, z}); }
  void plane(double x, double y, double z, double d) {
    add(std::make_unique<btStaticPlaneShape>(btVector3(x, y, z), d), 0.0, {0, 0, 0},
        btTransform::getIdentity());
    ++fixed_;
  }
  void floor() { plane(0, 0, 1, 0); }
  btRigidBody& box(double m, const double* half, double x, double y, double z) {
    auto shape = std::make_unique<btBoxShape>(btVector3(half[0], half[1], half[2]));
    shape->setMargin(0.01 * *std::min_element(half, half + 3));
    btVector3 inertia;
    const double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
    inertia.setValue(m * (b + c) / 3.0, m * (a + c) / 3.0, m * (a + b) / 3.0);
    return add(std::move(shape), m, inertia, at(x, y, z));
  }
  btRigidBody& ball(double m, double r, double x, double y, double z) {
    const double i = 0.4 * m * r * r;
    return add(std::make_unique<btSphereShape>(r), m, {i, i, i}, at(x, y, z));
  }
  btRigidBody& free(double m, const btVector3& inertia, const btTransform& where) {
    return add(std::make_unique<btEmptyShape>(), m, inertia, where, false);
  }
  void join(std::unique_ptr<btTypedConstraint> joint) {
    world_->addConstraint(joint.get(), true);
    joints_.push_back(std::move(joint));
  }
  void step(double h) { world_->stepSimulation(h, 0); }
  void places(std::vector<double>& values) const {
    for (std::size_t i = fixed_; i < bodies_.size(); ++i) {
      const btVector3& x = bodies_[i]->getWorldTransform().getOrigin();
      values.insert(values.end(), {x.x(), x.y(), x.z()});
    }
  }
  static btTransform at(double x, double y, double z) {
    btTransform where;
    where.setIdentity();
    where.setOrigin({x, y, z});
    return where;
  }

 private:
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double m, const btVector3& inertia,
                   const btTransform& where, bool touches = true) {
    btRigidBody::btRigidBodyConstructionInfo info(m, nullptr, shape.get(), inertia);
    info.m_startWorldTransform = where;
    info.m_friction = friction_;  // Bullet multiplies the coefficients of two bodies
    info.m_restitution = restitution_;
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    if (touches)
      world_->addRigidBody(body.get());
    else
      world_->addRigidBody(body.get(), 0, 0);
    shapes_.push_back(std::move(shape));
    bodies_.push_back(std::move(body));
    return *bodies_.back();
  }

  double friction_, restitution_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::size_t fixed_ = 0;
};

/// Lengths are multiplied so that a ball of 10 mm has a radius of 1: Bullet's thresholds are meant for bodies of about
/// 0.05 to 10 units, according to its manual. In metres, the bounding boxes of balls of 10 mm are three times as wide as the
/// balls, and a step takes ten times as long.
class ScaledWorld : public World {
 public:
  using World::World;
  void gravity(double x, double y, double z) { World::gravity(kScale * x, kScale * y, kScale * z); }
  void plane(double x, double y, double z, double d) { World::plane(x, y, z, kScale * d); }
  void ball(double m, double r, double x, double y, double z) {
    World::ball(m, kScale * r, kScale * x, kScale * y, kScale * z);
  }
  void places(std::vector<double>& values) const {
    World::places(values);
    for (double& x : values) x /= kScale;
  }

 private:
  static constexpr double kScale = 100.0;
};

/// A multibody with a fixed base, without damping.
class Joints {
 public:
  Joints(int links, const std::string& method) : body_(links, 0, btVector3(0, 0, 0), true, false) {
    world_.setGravity({0, 0, -scenes::kGravity});
    rk4_ = method == "rk4";
  }
  ~Joints() { world_.removeMultiBody(&body_); }
  btMultiBody& body() { return body_; }
  void finish() {
    body_.finalizeMultiDof();
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setUseGyroTerm(true);
    body_.setCanSleep(false);
    body_.setMaxCoordinateVelocity(1e6);
    body_.useRK4Integration(rk4_);
    world_.addMultiBody(&body_);
  }
  void step(double h) { world_.stepSimulation(h, 0); }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broad_, &solver_, &configuration_};
  btMultiBody body_;
  bool rk4_ = false;
};

Outcome top(double h, const std::string& method) {
  using namespace scenes::top;
  const btVector3 own(inertia[0] - mass * arm * arm, inertia[1] - mass * arm * arm, inertia[2]);
  const btQuaternion turn(btVector3(1, 0, 0), tilt);
  if (method == "impulses") {
    World world(method, 0.0);
    btTransform where(turn, quatRotate(turn, btVector3(0, 0, arm)));
    btRigidBody& body = world.free(mass, own, where);
    body.setAngularVelocity(quatRotate(turn, btVector3(0, 0, spin)));
    body.setFlags(BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY);
    world.join(std::make_unique<btPoint2PointConstraint>(body, btVector3(0, 0, -arm)));
    return march(
        end, h, 1, [&](double step) { world.step(step); },
        [&](std::vector<double>& values) {
          const btQuaternion q = body.getWorldTransform().getRotation();
          values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
        });
  }
  Joints world(1, method);
  btMultiBody& body = world.body();
  body.setupSpherical(0, mass, own, -1, btQuaternion::getIdentity(), btVector3(0, 0, 0),
                      btVector3(0, 0, arm), true);
  world.finish();
  double q[] = {turn.x(), turn.y(), turn.z(), turn.w()}, v[] = {0.0, 0.0, spin};
  body.setJointPosMultiDof(0, q);
  body.setJointVelMultiDof(0, v);
  btAlignedObjectArray<btQuaternion> turns;
  btAlignedObjectArray<btVector3> origins;
  body.forwardKinematics(turns, origins);
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        const btScalar* const p = body.getJointPosMultiDof(0);
        values.insert(values.end(), {p[3], p[0], p[1], p[2]});
      });
}

Outcome ball(double h, const std::string& method) {
  using namespace scenes::ball;
  World world(method, 0.0, restitution);
  world.plane(0, 0, 1, 0);
  btRigidBody& body = world.ball(mass, radius, 0.0, 0.0, radius + height);
  body.setContactProcessingThreshold(
      0.0);  // no contact before the gap closes: early contacts remove restitution
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        values.push_back(body.getWorldTransform().getOrigin().z() - radius);
      });
}

Outcome incline(double h, const std::string& method) {
  using namespace scenes::incline;
  World world(method, friction);
  world.floor();
  world.world().setGravity(
      {-scenes::kGravity * std::sin(slope), 0.0, -scenes::kGravity * std::cos(slope)});
  world.box(mass, half, 0.0, 0.0, half[2]).setLinearVelocity({speed, 0.0, 0.0});
  world.world().setGravity(
      {-scenes::kGravity * std::sin(slope), 0.0, -scenes::kGravity * std::cos(slope)});
  return march(
      end, h, 1, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) { world.places(values); });
}

Outcome chain(double h, const std::string& method) {
  using namespace scenes::chain;
  const double across = mass * (rod * rod + width * width) / 12.0;
  const btVector3 own(mass * width * width / 6.0, across, across), axis(0, 1, 0),
      left(-0.5 * rod, 0.0, 0.0);
  if (method == "impulses") {
    World world(method, 0.0);
    std::vector<btRigidBody*> rods;
    for (int i = 0; i < links; ++i) {
      btRigidBody& body = world.free(mass, own, World::at((i + 0.5) * rod, 0.0, 0.0));
      world.join(
          i > 0 ? std::make_unique<btHingeConstraint>(*rods.back(), body, -left, left, axis, axis)
                : std::make_unique<btHingeConstraint>(body, left, axis));
      rods.push_back(&body);
    }
    return march(
        end, h, rows, [&](double step) { world.step(step); },
        [&](std::vector<double>& values) {
          for (const btRigidBody* const body : rods) {
            values.push_back(body->getWorldTransform().getOrigin().x());
            values.push_back(body->getWorldTransform().getOrigin().z());
          }
        });
  }
  Joints world(links, method);
  for (int i = 0; i < links; ++i)
    world.body().setupRevolute(i, mass, own, i - 1, btQuaternion::getIdentity(), axis,
                               btVector3(i > 0 ? 0.5 * rod : 0.0, 0.0, 0.0),
                               btVector3(0.5 * rod, 0.0, 0.0), true);
  world.finish();
  return march(
      end, h, rows, [&](double step) { world.step(step); },
      [&](std::vector<double>& values) {
        double x = 0.0, z = 0.0, angle = 0.0;
        for (int i = 0; i < links; ++i) {
          angle += world.body().getJointPos(i);
          const double c = 0.5 * rod * std::cos(angle), s = 0.5 * rod * std::sin(angle);
          values.push_back(x + c);
          values.push_back(z - s);
          x += 2.0 * c;
          z -= 2.0 * s;
        }
      });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv,
                 "Bullet " + std::to_string(btGetVersion() / 100) + "." +
                     std::to_string(btGetVersion() % 100) + " float64",
                 {{"top", top},
                  {"ball", ball},
                  {"incline", incline},
                  {"stack", stack_of<World>},
                  {"wall", wall_of<World>},
                  {"pile", pile_of<World>},
                  {"heap", heap_of<ScaledWorld>},
                  {"chain", chain}});
}
