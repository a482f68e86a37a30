// The chain under Bullet, one thread; single or double precision is that of the library it is built with.
//
//     bullet_chain chain [joints=multibody|impulses] [sweeps=10] [and what chain.h reads]
//
// multibody: btMultiBody, coordinates of the joints by the articulated-body algorithm, no damping; impulses: hinges
// between bodies, swept by btSequentialImpulseConstraintSolver. Nothing collides and nothing sleeps.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "bench/joints/chain.h"

namespace {

using namespace saltus_bench;

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}
Triple triple(const btVector3& x) { return {x.x(), x.y(), x.z()}; }
std::array<double, 4> quaternion(const btQuaternion& Q) { return {Q.w(), Q.x(), Q.y(), Q.z()}; }

const btVector3 kInertia =
    vector(Chain::inertia_along, Chain::inertia_across, Chain::inertia_across);

class World : public ChainEngine {
 public:
  World() { world_.setGravity(vector(0.0, 0.0, -Chain::gravity)); }
  void step(double h) override {
    world_.stepSimulation(static_cast<btScalar>(h), 0);  // 0: one step as long as h
  }

 protected:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broad_, &solver_, &configuration_};
};

class Impulses final : public World {
 public:
  Impulses(const Chain& chain, int sweeps) : sweeps_(sweeps) {
    world_.getSolverInfo().m_numIterations = sweeps;
    const btVector3 axis(0, 1, 0), left = vector(-0.5 * Chain::length, 0.0, 0.0);
    for (int i = 0; i < chain.links; ++i) {
      btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(Chain::mass), nullptr,
                                                    &shape_, kInertia);
      info.m_startWorldTransform.setIdentity();
      info.m_startWorldTransform.setOrigin(vector((i + 0.5) * Chain::length, 0.0, 0.0));
      auto link = std::make_unique<btRigidBody>(info);
      link->setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(link.get(), 0, 0);
      hinges_.push_back(i > 0 ? std::make_unique<btHingeConstraint>(*links_.back(), *link, -left,
                                                                    left, axis, axis)
                              : std::make_unique<btHingeConstraint>(*link, left, axis));
      world_.addConstraint(hinges_.back().get(), true);
      links_.push_back(std::move(link));
    }
  }
  ~Impulses() override {
    for (const auto& hinge : hinges_) world_.removeConstraint(hinge.get());
    for (const auto& link : links_) world_.removeRigidBody(link.get());
  }
  std::string name() const override {
    return "bullet impulses, " + std::to_string(sweeps_) + " sweeps";
  }
  void get(std::vector<BodyState>& links) const override {
    links.clear();
    for (const auto& link : links_) {
      const btTransform& at = link->getWorldTransform();
      links.push_back({triple(at.getOrigin()), quaternion(at.getRotation()),
                       triple(link->getLinearVelocity()), triple(link->getAngularVelocity())});
    }
  }

 private:
  int sweeps_;
  btEmptyShape shape_;
  std::vector<std::unique_ptr<btRigidBody>> links_;
  std::vector<std::unique_ptr<btHingeConstraint>> hinges_;
};

class Multibody final : public World {
 public:
  explicit Multibody(const Chain& chain) : body_(chain.links, 0, btVector3(0, 0, 0), true, false) {
    const btQuaternion straight = btQuaternion::getIdentity();
    for (int i = 0; i < chain.links; ++i)
      body_.setupRevolute(i, static_cast<btScalar>(Chain::mass), kInertia, i - 1, straight,
                          btVector3(0, 1, 0), vector(i > 0 ? 0.5 * Chain::length : 0.0, 0.0, 0.0),
                          vector(0.5 * Chain::length, 0.0, 0.0), true);
    body_.finalizeMultiDof();
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setCanSleep(false);
    body_.setMaxCoordinateVelocity(btScalar(1e6));
    body_.useRK4Integration(false);
    world_.addMultiBody(&body_);
  }
  ~Multibody() override { world_.removeMultiBody(&body_); }
  std::string name() const override { return "bullet multibody"; }
  void get(std::vector<BodyState>& links) const override {
    const int n = body_.getNumLinks();
    links.resize(static_cast<std::size_t>(n));
    Triple end{}, rate{};
    double angle = 0.0, omega = 0.0;
    for (int i = 0; i < n; ++i) {  // in the plane of x and z, about y
      angle += body_.getJointPos(i);
      omega += body_.getJointVel(i);
      const double c = 0.5 * Chain::length * std::cos(angle),
                   s = 0.5 * Chain::length * std::sin(angle);
      links[static_cast<std::size_t>(i)] = {
          {end[0] + c, 0.0, end[2] - s},
          {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0},
          {rate[0] - omega * s, 0.0, rate[2] - omega * c},
          {0.0, omega, 0.0}};
      end = {end[0] + 2.0 * c, 0.0, end[2] - 2.0 * s};
      rate = {rate[0] - 2.0 * omega * s, 0.0, rate[2] - 2.0 * omega * c};
    }
  }

 private:
  btMultiBody body_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings(argc, argv);
  const Chain chain{settings.count("links", 100)};
  const int sweeps = settings.count("sweeps", 10);
  std::unique_ptr<ChainEngine> engine;
  if (settings.text("joints", "multibody") == "multibody")
    engine = std::make_unique<Multibody>(chain);
  else
    engine = std::make_unique<Impulses>(chain, sweeps);
  return run_chain(chain, settings, *engine);
}
