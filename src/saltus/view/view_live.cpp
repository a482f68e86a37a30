#include "saltus/view/view_live.h"

#include <algorithm>

#include "saltus/state/contact_view.h"

namespace saltus {

ViewLive::ViewLive(ViewScene scene, const Model& model, const FieldOptions& fields)
    : scene_(std::move(scene)) {
  expects(scene_.bodies.size() == model.groups().size(),
          "ViewLive: the scene must be that of the model");
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    Body& body = bodies_.emplace_back();
    body.fields = body_fields(model.groups()[g].dynamics, fields);
    body.velocity.resize(model.initial()[g].v.size());
    if (body.fields) body.row.resize(body.fields->columns().size());
  }
}

void ViewLive::look(const Simulation& sim) {
  const State& state = sim.state();
  t_ = state.t;
  step_ = state.step;
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    Body& body = bodies_[g];
    const Vector& q = state.groups[g].q;
    body.q.assign(q.begin(), q.end());
    if (!body.fields) continue;
    sim.velocity(static_cast<int>(g), body.velocity);
    for (std::vector<double>& row : body.row) row.clear();
    if (!body.fields->later()) body.fields->sample(state.t, q, body.velocity, body.row);
  }
  contacts_.clear();
  for (const ContactView& seen : sim.contacts()) {
    if (seen.normal == Vector3::Zero()) continue;  // of a joint
    if (seen.status == ContactView::Status::open && !(seen.gap <= sim.model().surfaces().margin))
      continue;  // as in results files
    ViewContact& contact = contacts_.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      contact.point[i] = seen.point[k];
      contact.normal[i] = seen.normal[k];
      contact.force[i] = seen.force[k];
    }
    contact.gap = seen.gap;
    contact.body = {seen.a.group, seen.a.body, seen.b.group, seen.b.body};
    contact.status = static_cast<std::uint8_t>(seen.status);
  }
}

void ViewLive::finish() {
  for (Body& body : bodies_)
    if (body.fields && body.fields->later())
      body.fields->sample(t_, Eigen::Map<const Vector>(body.q.data(), std::ssize(body.q)),
                          body.velocity, body.row);
}

std::span<const double> ViewLive::row(std::size_t body, std::string_view table, std::size_t) {
  const Body& of = bodies_[body];
  if (table == "q") return of.q;
  if (table == "displacement" && !scene_.bodies[body].columns.empty()) {
    line_moved(scene_.bodies[body], of.q, moved_);
    return moved_;
  }
  expects(of.fields != nullptr, "ViewLive::row: no such table");
  const auto columns = of.fields->columns();
  const auto found = std::ranges::find(columns, table, &BodyFields::Column::name);
  expects(found != columns.end(), "ViewLive::row: no such table");
  return of.row[static_cast<std::size_t>(found - columns.begin())];
}

}  // namespace saltus
