#include "cases.h"

#include "saltus/bodies/modal.h"
#include "saltus/schemes/modal_exact.h"
#include "saltus/schemes/moreau_jean.h"
#include "saltus/schemes/registry.h"
#include "saltus/solvers/registry.h"

namespace saltus::contract {

// A bar floating along a slanted line: a mode of frequency 0 with mass 2.5, two elastic ones, constant load.
Body modal_bar(Units u, bool loaded) {
  const Vector mass = Vector3(2.5, 1.0, 0.7) * u.mass, omega = Vector3(0.0, 20.0, 55.0) / u.time,
               sigma = Vector3(0.0, 0.4, 1.2) / u.time,
               load = Vector3(-24.0, 3.0, -2.0) * u.force();
  Matrix shape(3, 3);
  shape << 1.0, -1.0, 1.0, 1.0, 0.1, -1.0, 1.0, 1.0, 1.0;
  Body body;
  body.name = loaded ? "modal bar" : "modal bar without load";
  const ModalPlacement placement{Vector3(0.4, -0.2, 1.1) * u.length, Vector3(0.6, 0.8, 0.0),
                                 Vector3(-0.48, 0.36, 0.8)};
  body.dynamics = std::make_shared<Modal>(
      mass, omega, sigma, tabulated_shapes({0.0, 0.5 * u.length, 1.0 * u.length}, shape), placement,
      loaded ? load : Vector());
  body.state.q = Vector3(0.010, -0.004, 0.006) * u.length;
  body.state.v = Vector3(-0.8, 0.5, -0.3) * u.velocity();
  body.tip = {0, 0, Vector3(1.0 * u.length, 0.0, 0.0)};
  body.normal = Vector3(0.0, 0.6, 0.8);
  return body;
}

Body pendulum(Units u, double dashpot) {
  Body body;
  RailPendulum::Data data;
  data.dashpot = dashpot;
  body.name = "rail pendulum";
  body.dynamics = std::make_shared<RailPendulum>(data, u);
  body.state.q = Eigen::Vector2d(0.03 * u.length, 0.7);
  body.state.v = Eigen::Vector2d(-0.4 * u.velocity(), 2.0 / u.time);
  body.tip.feature = 1;
  body.normal = Vector3(-0.8, 0.0, 0.6);
  body.constant_rows = false;
  return body;
}

Body bead(Units u, bool fixed_points) {
  Body body;
  Bead::Data data;
  data.fixed_points = fixed_points;
  body.name = fixed_points ? "bead" : "bead without a table";
  body.dynamics = std::make_shared<Bead>(data, u);
  body.state.q = Vector3(0.1, 0.2, -0.05) * u.length;
  body.state.v = Vector3(0.7, -0.2, -1.1) * u.velocity();
  body.tip.local = Vector3(0.02, 0.0, -0.03) * u.length;
  body.normal = Vector3(0.0, 0.6, 0.8);
  return body;
}

Body rigid(Units u, Rigid::Tangent tangent) {
  Body body;
  Rigid::Data data;
  data.tangent = tangent;
  body.name =
      tangent == Rigid::Tangent::exact ? "rigid body" : "rigid body with symmetrised tangent";
  body.dynamics = std::make_shared<Rigid>(data, u);
  body.state.q.resize(7);
  body.state.q << 0.1 * u.length, -0.3 * u.length, 0.8 * u.length, 0.7, 0.1, -0.5, 0.5;
  body.state.v.resize(6);
  body.state.v.head<3>() = Vector3(0.3, -0.1, -1.2) * u.velocity();
  body.state.v.tail<3>() = Vector3(2.0, -1.5, 3.0) / u.time;
  body.tip.local = Vector3(0.11, -0.06, -0.09) * u.length;
  body.normal = Vector3(0.36, -0.48, 0.8);
  body.constant_rows = false;
  return body;
}

std::vector<Body> bodies(Units u) {
  return {modal_bar(u),   pendulum(u), bead(u),
          bead(u, false), rigid(u),    rigid(u, Rigid::Tangent::symmetrised)};
}

std::shared_ptr<const Scheme> moreau_jean(double theta) {
  MoreauJeanOptions options;
  options.theta = theta;
  return make_moreau_jean(options);
}

std::shared_ptr<const Scheme> modal_exact() { return make_modal_exact({}); }

std::vector<SchemeCase> scheme_cases() {
  std::vector<SchemeCase> cases;
  for (const SchemeRow& row : schemes())
    cases.push_back({std::string(row.name), row.make_default(),
                     row.name == ModalExactOptions::name ? 0.0 : 2.0});
  for (double theta : {0.0, 0.6, 1.0})
    cases.push_back(
        {"moreau-jean theta " + std::to_string(theta).substr(0, 3), moreau_jean(theta), 1.0});
  return cases;
}

namespace {

std::vector<Pair> pairs(bool legal, Units units) {
  std::vector<Pair> found;
  for (const Body& body : bodies(units))
    for (const SchemeCase& scheme : scheme_cases())
      if (((scheme.scheme->needs() & ~body.dynamics->traits()) == 0) == legal)
        found.push_back({body, scheme});
  return found;
}

}  // namespace

std::vector<Pair> legal_pairs(Units units) { return pairs(true, units); }
std::vector<Pair> illegal_pairs() { return pairs(false, {}); }

ContactLaw newton_impact(double restitution) {
  ContactLaw law;
  law.rule = ContactLaw::Rule::newton_impact;
  law.restitution = restitution;
  return law;
}
ContactLaw signorini() { return {}; }
ContactLaw equality() {
  ContactLaw law;
  law.rule = ContactLaw::Rule::equality;
  return law;
}

void add_group(ModelParts& parts, const Body& body, std::shared_ptr<const Scheme> scheme) {
  parts.groups.push_back({body.name, body.name, body.dynamics, std::move(scheme)});
  parts.initial.push_back(body.state);
}

ModelParts parts(const Body& body, std::shared_ptr<const Scheme> scheme, double h) {
  ModelParts parts;
  add_group(parts, body, std::move(scheme));
  parts.solver = find_solver("auto")->make();
  parts.options.h = h;
  return parts;
}

void add_pair(ModelParts& parts, ContactSide a, ContactSide b, const Vector3& normal,
              ContactLaw law) {
  parts.laws.push_back(law);
  parts.pairs.push_back({parts.pairs.size() + 1, std::move(a), std::move(b), normal,
                         static_cast<int>(parts.laws.size()) - 1});
}

void add_plane(ModelParts& parts, int group, const PointRef& point, const Vector3& place,
               const Vector3& normal, ContactLaw law) {
  add_pair(parts, {group, point}, {-1, {0, 0, place}}, normal, law);
}

ModelParts above_plane(const Pair& pair, ContactLaw law, double h, double height) {
  const Body& body = pair.body;
  ModelParts made = parts(body, pair.scheme.scheme, h);
  const Vector3 tip = point_at(*body.dynamics, body.state.q, body.tip);
  add_plane(made, 0, body.tip, tip - height * body.normal, body.normal, law);
  return made;
}

}  // namespace saltus::contract
