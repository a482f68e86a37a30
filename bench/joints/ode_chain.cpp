// The chain under the Open Dynamics Engine, in double precision, one thread.
//
//     ode_chain chain [solver=step|quick] [sweeps=20] [and what chain.h reads]
//
// step: dWorldStep, a dense factor of all rows; quick: dWorldQuickStep, projected successive relaxation. Error reduction
// 0.2 and constraint force mixing 1e-10, as the library comes.
#include <ode/ode.h>

#include "bench/joints/chain.h"

namespace {

using namespace saltus_bench;

class Ode final : public ChainEngine {
 public:
  Ode(const Chain& chain, Settings& settings)
      : quick_(settings.text("solver", "step") == "quick"), sweeps_(settings.count("sweeps", 20)) {
    dInitODE2(0);
    world_ = dWorldCreate();
    dWorldSetGravity(world_, 0.0, 0.0, -Chain::gravity);
    dWorldSetQuickStepNumIterations(world_, sweeps_);
    for (int i = 0; i < chain.links; ++i) {
      const dBodyID link = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, Chain::mass, 0, 0, 0, Chain::inertia_along, Chain::inertia_across,
                         Chain::inertia_across, 0, 0, 0);
      dBodySetMass(link, &mass);
      dBodySetPosition(link, (i + 0.5) * Chain::length, 0.0, 0.0);
      const dJointID hinge = dJointCreateHinge(world_, nullptr);
      dJointAttach(hinge, link, i > 0 ? links_.back() : nullptr);
      dJointSetHingeAnchor(hinge, i * Chain::length, 0.0, 0.0);
      dJointSetHingeAxis(hinge, 0.0, 1.0, 0.0);
      links_.push_back(link);
    }
  }
  ~Ode() override {
    dWorldDestroy(world_);
    dCloseODE();
  }
  std::string name() const override {
    return quick_ ? "ode quick, " + std::to_string(sweeps_) + " sweeps" : "ode step";
  }
  void step(double h) override {
    if (quick_)
      dWorldQuickStep(world_, h);
    else
      dWorldStep(world_, h);
  }
  void get(std::vector<BodyState>& links) const override {
    links.resize(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const dReal *x = dBodyGetPosition(links_[i]), *Q = dBodyGetQuaternion(links_[i]),
                  *v = dBodyGetLinearVel(links_[i]), *omega = dBodyGetAngularVel(links_[i]);
      links[i] = {{x[0], x[1], x[2]},
                  {Q[0], Q[1], Q[2], Q[3]},
                  {v[0], v[1], v[2]},
                  {omega[0], omega[1], omega[2]}};
    }
  }

 private:
  bool quick_;
  int sweeps_;
  dWorldID world_;
  std::vector<dBodyID> links_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings(argc, argv);
  const Chain chain{settings.count("links", 100)};
  Ode engine(chain, settings);
  return run_chain(chain, settings, engine);
}
