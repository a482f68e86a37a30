// The chain under Saltus.
//
//     saltus_chain chain [scheme=rig-mid] [level=position|velocity|both] [and what chain.h reads]
//     saltus_chain --version
#include <tbb/task_arena.h>

#include <memory>
#include <string_view>

#include "bench/joints/chain.h"
#include "saltus/bodies/rigid.h"
#include "saltus/schemes/registry.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"
#include "saltus/version.h"

namespace {

using namespace saltus_bench;
using saltus::Matrix3;
using saltus::Vector3;

saltus::Model model_of(const Chain& chain, const std::string& scheme, const std::string& level) {
  saltus::ModelParts parts;
  saltus::RigidSystem system;
  system.gravity = {0.0, 0.0, -Chain::gravity};
  saltus::GroupState start;
  start.q.resize(7 * chain.links);
  start.v.setZero(6 * chain.links);
  Matrix3 hinge;  // z is the axis
  hinge << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0;
  for (int i = 0; i < chain.links; ++i) {
    saltus::RigidBody link;
    link.mass = Chain::mass;
    link.inertia =
        Vector3(Chain::inertia_along, Chain::inertia_across, Chain::inertia_across).asDiagonal();
    system.bodies.push_back(link);
    start.q.segment<7>(7 * i) << (i + 0.5) * Chain::length, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
    saltus::Joint joint;
    joint.name = std::to_string(i);
    joint.kind = saltus::JointKind::revolute;
    joint.a.axes = joint.b.axes = hinge;
    if (i > 0) {
      joint.a.group = 0;
      joint.a.ref = {i - 1, 0, Vector3(0.5 * Chain::length, 0.0, 0.0)};
    }
    joint.b.group = 0;
    joint.b.ref = {i, 0, Vector3(-0.5 * Chain::length, 0.0, 0.0)};
    parts.joints.push_back(joint);
  }
  parts.groups.push_back({"links", "rigid", std::make_shared<saltus::Rigid>(system), nullptr, {}});
  for (const saltus::SchemeRow& row : saltus::schemes())
    if (row.name == scheme) parts.groups[0].scheme = row.make_default();
  if (!parts.groups[0].scheme) {
    std::fprintf(stderr, "%s: no such scheme\n", scheme.c_str());
    std::exit(2);
  }
  parts.initial.push_back(start);
  parts.solver = saltus::solvers().front().make();
  parts.options.h = 1e-3;  // every step is given its own
  parts.options.end = 1.0;
  parts.options.joints = level == "velocity" ? saltus::JointLevel::velocity
                         : level == "both"   ? saltus::JointLevel::both
                                             : saltus::JointLevel::position;
  return saltus::Model(std::move(parts));
}

class Saltus final : public ChainEngine {
 public:
  Saltus(const Chain& chain, Settings& settings)
      : scheme_(settings.text("scheme", "rig-mid")),
        level_(settings.text("level", "position")),
        simulation_(model_of(chain, scheme_, level_)) {}
  std::string name() const override { return "saltus " + scheme_ + ", " + level_; }
  void step(double h) override {
    arena_.execute([&] {
      const saltus::StepReport report = simulation_.advance(h);
      if (report.converged) return;
      std::fprintf(stderr, "saltus_chain: %s\n", std::string(report.failure).c_str());
      std::exit(1);
    });
  }
  void get(std::vector<BodyState>& links) const override {
    const saltus::GroupState& x = simulation_.state().groups[0];
    links.resize(static_cast<std::size_t>(x.q.size() / 7));
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const auto q = x.q.segment<7>(7 * k);
      const auto v = x.v.segment<6>(6 * k);
      const Eigen::Quaterniond Q(q[3], q[4], q[5], q[6]);
      const Vector3 omega = Q * Vector3(v.tail<3>());  // angular velocity is in the body
      links[i] = {{q[0], q[1], q[2]},
                  {q[3], q[4], q[5], q[6]},
                  {v[0], v[1], v[2]},
                  {omega[0], omega[1], omega[2]}};
    }
  }

 private:
  std::string scheme_, level_;
  saltus::Simulation simulation_;
  tbb::task_arena arena_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::printf("%s %s\n", std::string(saltus::commit()).c_str(),
                std::string(saltus::flags()).c_str());
    return 0;
  }
  Settings settings(argc, argv);
  const Chain chain{settings.count("links", 100)};
  Saltus engine(chain, settings);
  return run_chain(chain, settings, engine);
}
