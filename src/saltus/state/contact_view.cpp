#include "saltus/state/contact_view.h"

#include <algorithm>

namespace saltus {

void place_contacts(const Model& model, double t, double h, std::span<const GroupState> groups,
                    std::vector<SeenContact>& seen, std::vector<ContactView>& views) {
  const auto key = [](const SeenContact& c) { return c.view.key; };
  if (!std::ranges::is_sorted(seen, {}, key)) std::ranges::sort(seen, {}, key);
  // The points of one group at a time, in one batch each.
  std::vector<PointRef> at;
  std::vector<std::array<std::size_t, 2>> asked;  // contact and side
  Vector x;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    at.clear();
    asked.clear();
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t s = 0; s < 2; ++s) {
        const ContactView::Side& side = s == 0 ? seen[i].view.a : seen[i].view.b;
        if (side.group != static_cast<int>(g) || seen[i].placed) continue;
        at.push_back(seen[i].at[s]);
        asked.push_back({i, s});
      }
    if (at.empty()) continue;
    x.resize(3 * std::ssize(at));
    model.groups()[g].dynamics->points(t, groups[g].q, at, x);
    for (std::size_t k = 0; k < asked.size(); ++k)
      seen[asked[k][0]].place[asked[k][1]] = x.segment<3>(3 * static_cast<Eigen::Index>(k));
  }
  const auto rests = [&](const ContactView::Side& side) {
    return side.group < 0 ||
           model.groups()[static_cast<std::size_t>(side.group)].dynamics->velocities() == 0;
  };
  views.clear();
  for (const SeenContact& c : seen) {
    ContactView& view = views.emplace_back(c.view);
    if (c.on_joint) {
      view.point = c.place[view.b.group >= 0 ? 1 : 0];
      continue;
    }
    view.force = (view.impulse[0] * view.normal + view.impulse[1] * c.tangent[0] +
                  view.impulse[2] * c.tangent[1]) /
                 h;
    if (c.placed) continue;
    // For a contact between a body and something immobile, both sides are the point of the body.
    const int shifted = (rests(view.a) ? 1 : 0) - (rests(view.b) ? 1 : 0);
    view.point = 0.5 * (c.place[0] + c.place[1] + shifted * c.offset * view.normal);
    view.gap = view.normal.dot(c.place[0] - c.place[1]) + c.offset;
  }
}

}  // namespace saltus
