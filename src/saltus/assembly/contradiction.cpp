#include "saltus/assembly/contradiction.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "saltus/assembly/notice_text.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/certificate.h"
#include "saltus/solvers/registry.h"

namespace saltus {
namespace {

/// "a", "a and b", "a, b and 4 others"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const std::size_t n = names.size(), shown = std::min(n, kShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == n ? " and " : ", ") + names[i];
  if (n > shown) text += fmt::format(" and {} other{}", n - shown, n - shown == 1 ? "" : "s");
  return text;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

}  // namespace

std::string contradiction(const Model& model, const ContactProblem& problem,
                          const std::function<SeenContact(int)>& see, Stop* stop) {
  // The default solver, whatever the scene has chosen: sweeps would not solve a problem that is
  // nearly singular.
  const std::unique_ptr<ContactSolver> solver = solvers().front().make();
  const std::vector<int> found = contradicting_contacts(*solver, problem, stop);
  if (found.empty()) return "";
  std::vector<std::string> pairs, driven;
  std::vector<int> groups;
  for (const int c : found) {
    const ContactView view = see(c).view;
    add_once(pairs, pair_name(model, view, "with"));
    for (const ContactView::Side& side : {view.a, view.b}) {
      if (side.group < 0) continue;
      groups.push_back(side.group);
      const Dynamics& body = *model.groups()[at(side.group)].dynamics;
      if (body.prescribed() > 0 || body.velocities() == 0)
        add_once(driven, side_name(model, side) + " has prescribed motion");
    }
  }
  // drives of joints in the islands of these bodies
  const auto near = [&](int group) {
    return group >= 0 && std::ranges::any_of(groups, [&](int g) {
             return model.islands()[at(g)] == model.islands()[at(group)];
           });
  };
  for (const JointCoupling& coupling : model.couplings()) {
    if (!coupling.value) continue;
    const Joint& joint = model.joints()[at(coupling.terms.front().joint)];
    if (near(joint.a.group) || near(joint.b.group))
      add_once(driven, "'" + coupling.name + "' drives a joint");
  }
  return listed(pairs) + (driven.empty() ? "" : "; " + listed(driven));
}

}  // namespace saltus
