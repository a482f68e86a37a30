// A scene under Bullet, one thread; single or double precision is that of the library it is built with.
//
//     bullet_time SCENE [sweeps=100] [directions=1|2] [and what engine.h reads]
//
// btSequentialImpulseConstraintSolver as it comes (warm start, SIMD, split impulses), one direction of friction along the
// slip or two; friction is bounded along each. Bodies never sleep. Boxes have their exact size: margin 1 % of the smallest
// half length. A contact is a point of a manifold, whatever its distance.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "bench/rigid/engine.h"

namespace {

using namespace saltus_bench;

btVector3 vector(const Triple& x) {
  return {static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]), static_cast<btScalar>(x[2])};
}
Triple triple(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

class Bullet final : public Engine {
 public:
  Bullet(const Scene& scene, Settings& settings)
      : scene_(scene),
        sweeps_(settings.count("sweeps", 100)),
        directions_(settings.count("directions", 1)) {
    world_.setGravity(vector(scene.gravity));
    world_.setForceUpdateAllAabbs(false);
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = sweeps_;
    if (directions_ == 2) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (const Solid& solid : scene.bodies) add(solid);
    for (const Solid& solid : scene.fixed) add(solid);
  }
  ~Bullet() override {
    for (auto& body : bodies_)
      if (body) world_.removeRigidBody(body.get());
  }

  std::string name() const override {
    return std::string("bullet ") + (sizeof(btScalar) == 4 ? "float32" : "float64") + ", " +
           std::to_string(directions_) + (directions_ == 1 ? " direction" : " directions") + ", " +
           std::to_string(sweeps_) + " sweeps";
  }
  void step(double h) override { world_.stepSimulation(static_cast<btScalar>(h), 0); }
  void release() override {
    for (int k = 0; k < scene_.released; ++k) {
      world_.removeRigidBody(bodies_.back().get());
      bodies_.pop_back();
    }
  }
  void get(std::vector<BodyState>& bodies) const override {
    bodies.resize(scene_.bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const btTransform& at = bodies_[i]->getWorldTransform();
      const btQuaternion Q = at.getRotation();
      bodies[i] = {triple(at.getOrigin()),
                   {Q.w(), Q.x(), Q.y(), Q.z()},
                   triple(bodies_[i]->getLinearVelocity()),
                   triple(bodies_[i]->getAngularVelocity())};
    }
  }
  void set(const std::vector<BodyState>& bodies) override {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto& Q = bodies[i].Q;
      const btTransform at(btQuaternion(static_cast<btScalar>(Q[1]), static_cast<btScalar>(Q[2]),
                                        static_cast<btScalar>(Q[3]), static_cast<btScalar>(Q[0])),
                           vector(bodies[i].x));
      bodies_[i]->setWorldTransform(at);
      bodies_[i]->setInterpolationWorldTransform(at);
      bodies_[i]->setLinearVelocity(vector(bodies[i].v));
      bodies_[i]->setAngularVelocity(vector(bodies[i].omega));
      bodies_[i]->updateInertiaTensor();
    }
  }
  int contacts() const override {
    int sum = 0;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k)
      sum += dispatcher_.getManifoldByIndexInternal(k)->getNumContacts();
    return sum;
  }
  double penetration() const override {
    btScalar deepest = 0;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      const btPersistentManifold* const manifold = dispatcher_.getManifoldByIndexInternal(k);
      for (int i = 0; i < manifold->getNumContacts(); ++i)
        deepest = std::max(deepest, -manifold->getContactPoint(i).getDistance());
    }
    return deepest;
  }

 private:
  void add(const Solid& solid) {
    std::unique_ptr<btCollisionShape> shape;
    if (solid.ball) {
      shape = std::make_unique<btSphereShape>(static_cast<btScalar>(solid.half[0]));
    } else {
      const btVector3 half = vector(solid.half);
      auto box = std::make_unique<btBoxShape>(half);
      box->setMargin(btScalar(0.01) * half[half.minAxis()]);
      shape = std::move(box);
    }
    const auto mass = static_cast<btScalar>(solid.mass);
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
    info.m_startWorldTransform = btTransform(
        btQuaternion(btVector3(0, 0, 1), static_cast<btScalar>(solid.yaw)), vector(solid.centre));
    // Bullet multiplies the frictions of two bodies, and adds rolling a times friction b and the reverse.
    const double root = std::sqrt(scene_.friction);
    info.m_friction = static_cast<btScalar>(root);
    info.m_rollingFriction = static_cast<btScalar>(scene_.rolling / (2.0 * root));
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    if (scene_.rolling > 0.0)
      body->setAnisotropicFriction(shape->getAnisotropicRollingFrictionDirection(),
                                   btCollisionObject::CF_ANISOTROPIC_ROLLING_FRICTION);
    world_.addRigidBody(body.get());
    shapes_.push_back(std::move(shape));
    bodies_.push_back(std::move(body));
  }

  const Scene& scene_;
  int sweeps_, directions_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto scene = argc > 1 ? scene_of(argv[1]) : std::nullopt;
  if (!scene) {
    std::fputs("bullet_time SCENE [NAME=VALUE ...]\n", stderr);
    return 2;
  }
  Settings settings(argc, argv);
  Bullet engine(*scene, settings);
  return run(*scene, settings, engine);
}
