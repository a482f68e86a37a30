#include "saltus/assembly/contact_views.h"

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Status of the k-th contact of the problem (sticks, slides or open), by the impulses in its cone:
/// with the tension of cohesion, without the impulse of compression.
ContactView::Status status_of(const ContactList& list, const IslandProblem& problem,
                              std::size_t k) {
  const IslandContact& c = list[at(problem.admitted()[k])];
  const Law& entry = problem.laws()[k];
  using Status = ContactView::Status;
  if (problem.impulses().segment(c.first_row, c.rows()).isZero(0.0)) return Status::open;
  const double p = problem.p()[entry.first];
  if (entry.kind == LawKind::box)
    return slides(entry.bound, std::abs(p), 1.0) ? Status::slides : Status::sticks;
  const int forces = entry.forces();
  if (forces < 2 || !(entry.friction > 0.0)) return Status::closed;
  const double tangential = problem.p().segment(entry.first + 1, forces - 1).norm();
  return slides(p, tangential, entry.friction) ? Status::slides : Status::sticks;
}

}  // namespace

void append_views(const ContactList& list, const IslandProblem& problem,
                  std::vector<SeenContact>& contacts) {
  const std::size_t first = contacts.size();
  for (std::size_t i = 0; i < list.count(); ++i) {
    const IslandContact& c = list[i];
    SeenContact& seen = contacts.emplace_back();
    list.see(i, problem.motion.y[static_cast<Eigen::Index>(i)], seen);
    for (int a = 0; a < c.rows(); ++a)
      (a <= c.tangents ? seen.view.impulse[a] : seen.view.moment[c.axis_of(a)]) =
          problem.impulses()[c.first_row + a];
    seen.view.impulse = c.on_units(seen.view.impulse);
  }
  for (std::size_t k = 0; k < problem.admitted().size(); ++k)
    contacts[first + at(problem.admitted()[k])].view.status = status_of(list, problem, k);
}

void append_memory(const Model& model, const ContactList& list, const IslandProblem& problem,
                   std::vector<ContactMemory>& contacts) {
  Vector u;
  const auto opens = [&](int k, double c) {
    if (u.size() == 0) {
      u.resize(problem.b().size());
      problem.W().apply(problem.p(), u);
      u += problem.b();
    }
    return u[k] > model.options().contact.tolerance * problem.W().scale(k) * problem.h() * c;
  };
  for (std::size_t k = 0; k < problem.admitted().size(); ++k) {
    const auto i = at(problem.admitted()[k]);
    const IslandContact& c = list[i];
    ContactMemory memory{c.key};
    for (int a = 0; a < c.rows(); ++a)
      (a <= c.tangents ? memory.impulse[a] : memory.moment[c.axis_of(a)]) =
          problem.impulses()[c.first_row + a];
    memory.impulse = c.on_units(memory.impulse);
    const int first = problem.laws()[k].first;
    const double strength = list.law(i).facts().cohesion;
    if (strength > 0.0
            ? problem.history().bonded(i) && (problem.p()[first] > 0.0 || !opens(first, strength))
            : !memory.impulse.isZero(0.0))
      contacts.push_back(memory);
  }
}

void append_point_impulses(const Model& model, const ContactList& list,
                           const IslandProblem& problem, const JointSystem& joints,
                           std::vector<PointImpulse>& impulses) {
  for (std::size_t i = 0; i < list.named(); ++i)
    if (list[i].joint_law >= 0) {
      const JointLaw& on = model.joint_laws()[at(list[i].joint_law)];
      joints.point_impulses(on.joint, on.coordinate, on.sign * problem.normal(i),
                            [&](int group, const PointRef& point, const Vector3& p) {
                              impulses.push_back({group, point, p});
                            });
    }
  for (std::size_t i = list.named(); i < list.count(); ++i) {
    const IslandContact& c = list[i];
    Vector3 p = Vector3::Zero();  // on side 0
    for (int a = 0; a <= c.tangents; ++a)
      p += problem.impulses()[c.first_row + a] * c.direction[at(a)];
    if (p.isZero(0.0)) continue;
    for (std::size_t s = 0; s < 2; ++s) {
      const IslandContact::Side& side = c.side[s];
      if (side.member < 0) continue;
      const ContactList::Member& m = list.members()[at(side.member)];
      if (model.groups()[at(m.group)].dynamics->prescribed() > 0)
        impulses.push_back({m.group, m.at[at(side.point)], s == 0 ? p : Vector3(-p)});
    }
  }
}

}  // namespace saltus
