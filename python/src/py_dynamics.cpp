// Methods that are not overridden: those of the contract have the defaults of the contract; except
// force, the others are derived from additional methods of the class, with the same operations as
// Lagrangian and Linear: mass(q), damping(q, v), stiffness(q, v) or combination(s, q, v);
// potential(q), inertial(q, v); point(i, q), point_jacobian(i, q).
#include "py_dynamics.h"

#include <algorithm>
#include <atomic>

#include "py_body_methods.h"

namespace saltus::python {
using namespace body_methods;
namespace {

MethodTable& table_of_bodies() {
  static auto* const table = new MethodTable{typeid(Dynamics), kNames, kTimed};
  return *table;
}

}  // namespace

struct PythonBody::Known {
  std::array<int, kTraits + 1> number{-1, -1, -1, -1};
  int prescribed = -1;
  bool sources_known = false;  // determined when a model is built
  std::atomic<bool> modal_known = false, rigid_known = false;
  std::vector<Source> sources;
  std::optional<ModalData> modal;
  std::optional<RigidData> rigid;
};

PythonBody::PythonBody()
    : side_(table_of_bodies(), static_cast<const Dynamics*>(this)),
      known_(std::make_unique<Known>()) {}
PythonBody::~PythonBody() = default;

bool PythonBody::has_matrices() const { return side_.has(kCombination) || side_.has(kMass); }

void PythonBody::check() const {
  std::string lacks;
  const auto need = [&](bool there, const char* signature) {
    if (!there) lacks += (lacks.empty() ? "" : ", ") + std::string(signature);
  };
  need(side_.has(kPositions), "positions()");
  need(side_.has(kForce), "force(t, q, v, f)");
  if (!has_matrices()) {
    need(side_.has(kMultiply), "multiply(s, t, q, v, x, y)");
    need(side_.has(kFactorise), "factorise(s, t, q, v, A)");
  }
  if (!lacks.empty())
    throw UsageError("class " + side_.class_name() + " is not complete: it has no " + lacks +
                     (side_.has(kForce) && side_.has(kPositions)
                          ? "; instead of both, define mass(q), with stiffness(q, v) and "
                            "damping(q, v) if there are any"
                          : ""));
}

int PythonBody::number(int method) const {
  int& known = known_->number[static_cast<std::size_t>(method)];
  if (known < 0) {
    const Gil gil;
    const int n = side_.ask<int>(method, {}, "an int");
    if (n < 0) throw UsageError(side_.name_of(method) + " gave " + std::to_string(n));
    known = n;
  }
  return known;
}

int PythonBody::bodies() const {
  return side_.overridden(kBodies) ? number(kBodies) : Dynamics::bodies();
}
int PythonBody::positions() const {
  if (side_.overridden(kPositions)) return number(kPositions);
  side_.missing(kPositions, "()");
}
int PythonBody::velocities() const {
  return side_.overridden(kVelocities) ? number(kVelocities) : positions();
}

unsigned PythonBody::traits() const {
  if (side_.overridden(kTraits)) {
    int& known = known_->number[kTraits];
    if (known < 0) {
      const Gil gil;
      known = side_.as<int>(kTraits, py::int_(side_.call(kTraits, {})), "a Trait");
    }
    return static_cast<unsigned>(known) &
           ~static_cast<unsigned>(Trait::driven);  // it has no `held`
  }
  unsigned traits = static_cast<unsigned>(Trait::second_order);
  if (side_.has(kStiffness) || side_.has(kCombination) ||
      (side_.has(kMultiply) && side_.has(kFactorise)))
    traits = traits | Trait::tangents;
  if (side_.has(kPotentialForce)) traits = traits | Trait::potential;
  return traits;
}

void PythonBody::vector_method(int method, const double* t, View a, const char* a_name,
                               const Eigen::Ref<const Vector>* b, const char* b_name, Out out,
                               const char* out_name) const {
  const Gil gil;
  mark(out.data(), out.size());
  Loan la(a.data(), a.size(), false), lb, lo(out.data(), out.size(), true);
  if (b) lb.over(b->data(), b->size(), false);
  const py::object time = t ? py::object(py::float_(*t)) : py::object();
  py::object result = t && b ? side_.call(method, {time.ptr(), la.get(), lb.get(), lo.get()})
                      : t    ? side_.call(method, {time.ptr(), la.get(), lo.get()})
                             : side_.call(method, {la.get(), lb.get(), lo.get()});
  side_.written(method, result, lo.get(), out, out_name);
  result = py::object();
  side_.returned(method, {{&la, a_name}, {&lb, b_name}, {&lo, out_name}});
}

void PythonBody::retract(View q, View w, Out out) const {
  if (!side_.overridden(kRetract)) return Dynamics::retract(q, w, out);
  vector_method(kRetract, nullptr, q, "q", &w, "w", out, "out");
}
void PythonBody::increment_rate(View w, View v, Out rate) const {
  if (!side_.overridden(kIncrementRate)) return Dynamics::increment_rate(w, v, rate);
  vector_method(kIncrementRate, nullptr, w, "w", &v, "v", rate, "rate");
}
void PythonBody::force(double t, View q, View v, Out f) const {
  if (!side_.overridden(kForce)) side_.missing(kForce, "(t, q, v, f)");
  vector_method(kForce, &t, q, "q", &v, "v", f, "f");
}
void PythonBody::potential_force(double t, View q, Out f) const {
  if (!side_.overridden(kPotentialForce)) return Dynamics::potential_force(t, q, f);
  vector_method(kPotentialForce, &t, q, "q", nullptr, "", f, "f");
}
void PythonBody::load(double t, View q, View v, Out f) const {
  if (!side_.overridden(kLoad)) return Dynamics::load(t, q, v, f);
  vector_method(kLoad, &t, q, "q", &v, "v", f, "f");
}
void PythonBody::coast(double h, Out q, Out v) const {
  if (!side_.overridden(kCoast)) return Dynamics::coast(h, q, v);
  const Gil gil;
  const py::float_ time(h);
  Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
  const auto end = side_.ask<std::pair<py::object, py::object>>(
      kCoast, {time.ptr(), lq.get(), lv.get()}, "a pair (q, v)");
  side_.returned(kCoast, {{&lq, "q"}, {&lv, "v"}});
  const std::string name = "what " + side_.name_of(kCoast) + " returned";
  assign(q, end.first, name.c_str());
  assign(v, end.second, name.c_str());
}

// -- constant properties

const RigidData* PythonBody::rigid() const {
  if (!side_.overridden(kRigid)) return Dynamics::rigid();
  if (!known_->rigid_known) {
    const Gil gil;
    const py::object given = side_.call(kRigid, {});  // another thread may have run first
    if (!known_->rigid_known) {
      if (!given.is_none())
        known_->rigid = side_.as<RigidData>(kRigid, given, "a RigidData or None");
      known_->rigid_known = true;
    }
  }
  return known_->rigid ? &*known_->rigid : nullptr;
}

const ModalData* PythonBody::modal() const {
  if (!side_.overridden(kModal)) return Dynamics::modal();
  if (!known_->modal_known) {
    const Gil gil;
    const py::object given = side_.call(kModal, {});
    if (!known_->modal_known) {
      if (!given.is_none())
        known_->modal = side_.as<ModalData>(kModal, given, "a ModalData or None");
      known_->modal_known = true;
    }
  }
  return known_->modal ? &*known_->modal : nullptr;
}

Rayleigh PythonBody::rayleigh() const {
  if (!side_.overridden(kRayleigh)) return Dynamics::rayleigh();
  const Gil gil;
  return side_.ask<Rayleigh>(kRayleigh, {}, "a Rayleigh");
}

std::span<const Source> PythonBody::sources() const {
  const bool given = side_.overridden(kSources);
  if (!known_->sources_known) {
    std::vector<Source> made;
    if (given) {
      const Gil gil;
      for (const py::handle entry : side_.call(kSources, {})) {
        if (py::isinstance<Source>(entry)) {
          made.push_back(entry.cast<Source>());
        } else if (py::isinstance<py::str>(entry)) {
          made.push_back({entry.cast<std::string>(), false});
        } else {
          const auto pair = py::isinstance<py::sequence>(entry)
                                ? py::tuple(py::reinterpret_borrow<py::object>(entry))
                                : py::tuple();
          if (pair.size() != 2 || !py::isinstance<py::str>(pair[0]))
            throw UsageError(side_.name_of(kSources) +
                             " must return names, or pairs (name, potential)");
          made.push_back({pair[0].cast<std::string>(),
                          side_.as<bool>(kSources, pair[1], "a pair (name, bool)")});
        }
      }
      if (made.size() > 16)
        throw UsageError(side_.name_of(kSources) + " returned more than 16 sources");
    } else {
      if (side_.has(kPotentialForce)) made.push_back({"potential", true});
      if (side_.has(kInertial)) made.push_back({"inertial", true});
      made.push_back({"applied", false});
    }
    known_->sources = std::move(made);
    known_->sources_known = true;
  }
  return known_->sources;
}

// -- prescribed degrees of freedom

int PythonBody::prescribed() const {
  if (!side_.overridden(kPrescribed)) return Dynamics::prescribed();
  if (known_->prescribed < 0) {
    const Gil gil;
    known_->prescribed = std::max(0, side_.ask<int>(kPrescribed, {}, "an int"));
  }
  return known_->prescribed;
}

void PythonBody::reactions(double t, View q, View v, View a, Out forces) const {
  if (!side_.overridden(kReactions)) return Dynamics::reactions(t, q, v, a, forces);
  const Gil gil;
  mark(forces.data(), forces.size());
  const py::float_ time(t);
  Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false), la(a.data(), a.size(), false),
      lf(forces.data(), forces.size(), true);
  side_.written(kReactions,
                side_.call(kReactions, {time.ptr(), lq.get(), lv.get(), la.get(), lf.get()}),
                lf.get(), forces, "forces");
  side_.returned(kReactions, {{&lq, "q"}, {&lv, "v"}, {&la, "a"}, {&lf, "forces"}});
}

void PythonBody::point_reactions(double t, View q, std::span<const PointRef> at, View f,
                                 Out forces) const {
  if (!side_.overridden(kPointReactions)) return Dynamics::point_reactions(t, q, at, f, forces);
  const Gil gil;
  const py::float_ time(t);
  const py::tuple points = points_to_python(at);
  Loan lq(q.data(), q.size(), false), lf, lo(forces.data(), forces.size(), true);
  lf.over(f.data(), f.size() / 3, 3, 3, 1, false);
  side_.written(
      kPointReactions,
      side_.call(kPointReactions, {time.ptr(), lq.get(), points.ptr(), lf.get(), lo.get()}),
      lo.get(), forces, "forces");
  side_.returned(kPointReactions, {{&lq, "q"}, {&lf, "f"}, {&lo, "forces"}});
}

void PythonBody::prescribed_columns(Combination s, double t, View q, View v,
                                    Eigen::Ref<Matrix> columns) const {
  if (!side_.overridden(kPrescribedColumns))
    return Dynamics::prescribed_columns(s, t, q, v, columns);
  const Gil gil;
  columns.setZero();
  const py::object factors = combination_to_python(s);
  Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false), lc;
  lc.over(columns.data(), columns.rows(), columns.cols(), 1, columns.outerStride(), true);
  const py::float_ time(t);
  if (side_.timed(kPrescribedColumns))
    side_.call(kPrescribedColumns, {factors.ptr(), time.ptr(), lq.get(), lv.get(), lc.get()});
  else
    side_.call(kPrescribedColumns, {factors.ptr(), lq.get(), lv.get(), lc.get()});
  side_.returned(kPrescribedColumns, {{&lq, "q"}, {&lv, "v"}, {&lc, "columns"}});
}

// -- work terms

Energy PythonBody::energy(double t, View q, View v) const {
  if (side_.overridden(kEnergy)) {
    const Gil gil;
    const py::float_ time(t);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const Energy found =
        energy_of(side_.call(kEnergy, {time.ptr(), lq.get(), lv.get()}), side_.name_of(kEnergy));
    side_.returned(kEnergy, {{&lq, "q"}, {&lv, "v"}});
    return found;
  }
  Energy found;
  if (side_.has(kMass)) {
    const Gil gil;
    const MatrixValue M = matrix(kMass, t, q, nullptr);
    if (const auto* diagonal = std::get_if<Vector>(&M)) {
      for (Eigen::Index j = 0; j < v.size(); ++j)
        found.kinetic += 0.5 * v[j] * ((*diagonal)[j] * v[j]);
    } else if (const auto* dense = std::get_if<Matrix>(&M)) {
      for (Eigen::Index j = 0; j < v.size(); ++j)
        found.kinetic += 0.5 * v[j] * dense->col(j).dot(v);
    } else if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&M)) {
      found.kinetic = 0.5 * (*sparse)->product.inner(v, v);
    }
  } else {
    Vector momentum(v.size());
    multiply({1.0, 0.0, 0.0}, t, q, v, v, momentum);
    found.kinetic = 0.5 * v.dot(momentum);
  }
  if (side_.has(kPotential)) {
    const Gil gil;
    Loan lq(q.data(), q.size(), false);
    found.potential = side_.ask<double>(kPotential, {lq.get()}, "an energy [J]");
    side_.returned(kPotential, {{&lq, "q"}});
  }
  return found;
}

void PythonBody::power(double t, std::optional<double>, View q, View v, View w,
                       std::span<double> by_source) const {
  std::fill(by_source.begin(), by_source.end(), 0.0);
  if (side_.overridden(kPower)) {
    const Gil gil;
    const py::float_ time(t);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false),
        lw(w.data(), w.size(), false),
        lb(by_source.data(), static_cast<Eigen::Index>(by_source.size()), true);
    side_.written(kPower, side_.call(kPower, {time.ptr(), lq.get(), lv.get(), lw.get(), lb.get()}),
                  lb.get(),
                  Eigen::Map<Vector>(by_source.data(), static_cast<Eigen::Index>(by_source.size())),
                  "by_source");
    return side_.returned(kPower, {{&lq, "q"}, {&lv, "v"}, {&lw, "w"}, {&lb, "by_source"}});
  }
  if (side_.has(kSources) && by_source.size() != 1)
    side_.missing(kPower, "(t, q, v, w, by_source)");
  Vector f(w.size());
  force(t, q, v, f);
  double rest = f.dot(w);
  std::size_t s = 0;
  if (!side_.has(kSources) && side_.has(kPotentialForce)) {
    potential_force(t, q, f);
    rest -= by_source[s++] = f.dot(w);
  }
  if (!side_.has(kSources) && side_.has(kInertial)) {
    const Gil gil;
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const std::string what = "what " + side_.name_of(kInertial) + " returned";
    assign(f, side_.call(kInertial, {lq.get(), lv.get()}), what.c_str());
    side_.returned(kInertial, {{&lq, "q"}, {&lv, "v"}});
    rest -= by_source[s++] = -f.dot(w);
  }
  by_source[s] = rest;
}

}  // namespace saltus::python
