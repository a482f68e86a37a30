// State: a value. Equal states of one model give bitwise equal results.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "core.h"

namespace saltus::python {
namespace {

// version of the pickle format; version 2 has no digest
constexpr int kVersion = 3, kWithoutDigest = 2;
constexpr const char* kDamaged =
    "this pickle of a state is damaged: its digest differs; pickle the state again";

/// FNV-1a over the bits of all members of a state and the lengths of its lists.
class StateDigest {
 public:
  static std::uint64_t of(const State& s) {
    StateDigest digest;
    digest.add(s.t, s.step, s.h, s.energy.kinetic, s.energy.potential, s.energy_start);
    digest.each(s.groups);
    digest.each(s.contacts);
    digest.each(s.solvers);
    digest.each(s.ledger);
    digest.each(s.broken);
    digest.add(s.event_state);
    return digest.hash_;
  }

 private:
  template <typename T>
  void add(const T& number) requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &number, sizeof(T));
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3ULL;
  }
  template <typename First, typename... More>
  void add(const First& first, const More&... more) requires(sizeof...(More) > 0) {
    add(first);
    (add(more), ...);
  }
  template <typename List>
  void each(const List& list) {
    add(static_cast<std::uint64_t>(std::size(list)));
    for (const auto& one : list) add(one);
  }
  void add(const Vector& x) { each(x); }
  void add(const GroupState& group) {
    add(group.q, group.v);
    each(group.memory);
    each(group.angles);
    each(group.set_points);
    each(group.applied);
  }
  void add(const AppliedForce& one) {
    add(one.at.body, one.at.feature);
    each(one.at.local);
    each(one.force);
    each(one.torque);
  }
  void add(const ContactMemory& contact) {
    add(contact.key);
    each(contact.impulse);
    each(contact.moment);
  }
  void add(const SolverMemory& solver) {
    each(solver.active);
    each(solver.factor);
    add(solver.changes);
  }
  void add(const BrokenJoint& one) { add(one.joint, one.t, one.pull); }
  void add(const ContactMode& mode) {
    add(mode.key, mode.kind, mode.gap, mode.shared);
    each(mode.direction);
  }
  void add(const EventState& events) {
    add(events.active, events.t, events.h, events.next, events.rate_time, events.ends_with,
        events.ends_key, events.crowd, events.stepping, events.patience, events.length);
    each(events.start);
    each(events.modes);
  }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

template <typename T>
py::array_t<T> array_of(const std::vector<T>& x) {
  return py::array_t<T>(static_cast<py::ssize_t>(x.size()), x.data());
}
template <typename T>
std::vector<T> vector_of(const py::handle& array) {
  const auto x = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!x) throw py::error_already_set();
  return {x.data(), x.data() + x.size()};
}
Vector numbers_of(const py::handle& array) {
  const std::vector<double> x = vector_of<double>(array);
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

py::tuple pack_group(const GroupState& group) {
  py::list memory;
  for (const Vector& one : group.memory) memory.append(copy_of(one));
  py::list applied;
  for (const AppliedForce& one : group.applied)
    applied.append(py::make_tuple(one.at.body, one.at.feature, copy_of(Vector(one.at.local)),
                                  copy_of(Vector(one.force)), copy_of(Vector(one.torque))));
  return py::make_tuple(copy_of(group.q), copy_of(group.v), memory, group.angles, group.set_points,
                        applied);
}
GroupState unpack_group(const py::tuple& parts) {
  GroupState group;
  group.q = numbers_of(parts[0]);
  group.v = numbers_of(parts[1]);
  for (const py::handle& one : parts[2]) group.memory.push_back(numbers_of(one));
  if (parts.size() > 3) group.angles = parts[3].cast<std::vector<double>>();
  if (parts.size() > 4) group.set_points = parts[4].cast<std::vector<double>>();
  if (parts.size() > 5)
    for (const py::handle& one : parts[5]) {
      const auto x = one.cast<py::tuple>();
      group.applied.push_back({{x[0].cast<int>(), x[1].cast<int>(), numbers_of(x[2])},
                               numbers_of(x[3]),
                               numbers_of(x[4])});
    }
  return group;
}

py::tuple pack_events(const EventState& event_state) {
  py::list start, modes;
  for (const GroupState& group : event_state.start) start.append(pack_group(group));
  for (const ContactMode& mode : event_state.modes)
    modes.append(py::make_tuple(mode.key, static_cast<int>(mode.kind), mode.direction, mode.gap,
                                mode.shared));
  return py::make_tuple(event_state.active, event_state.t, event_state.h, event_state.next, start,
                        modes, event_state.rate_time, event_state.ends_with, event_state.ends_key,
                        event_state.crowd, event_state.stepping, event_state.patience,
                        event_state.length);
}

py::tuple pack(const State& s) {
  py::list groups, solvers, broken;
  for (const GroupState& group : s.groups) groups.append(pack_group(group));
  std::vector<std::uint64_t> key;
  std::vector<double> impulse;  // six per contact: impulse and moment
  for (const ContactMemory& contact : s.contacts) {
    key.push_back(contact.key);
    impulse.insert(impulse.end(), contact.impulse.begin(), contact.impulse.end());
    impulse.insert(impulse.end(), contact.moment.begin(), contact.moment.end());
  }
  for (const SolverMemory& solver : s.solvers)
    solvers.append(
        py::make_tuple(array_of(solver.active), array_of(solver.factor), solver.changes));
  for (const BrokenJoint& one : s.broken) broken.append(py::make_tuple(one.joint, one.t, one.pull));
  return py::make_tuple(kVersion, s.t, s.step, s.h, groups, array_of(key), array_of(impulse),
                        solvers,
                        py::make_tuple(s.energy.kinetic, s.energy.potential, s.energy_start),
                        array_of(s.ledger), broken, pack_events(s.event_state), StateDigest::of(s));
}

EventState unpack_events(const py::tuple& t) {
  EventState event_state;
  event_state.active = t[0].cast<bool>();
  event_state.t = t[1].cast<double>();
  event_state.h = t[2].cast<double>();
  event_state.next = t[3].cast<double>();
  for (const py::handle& group : t[4])
    event_state.start.push_back(unpack_group(group.cast<py::tuple>()));
  for (const py::handle& mode : t[5]) {
    const auto parts = mode.cast<py::tuple>();
    event_state.modes.push_back(
        {parts[0].cast<std::uint64_t>(), static_cast<ContactMode::Kind>(parts[1].cast<int>()),
         parts[2].cast<std::array<double, 2>>(), parts[3].cast<double>(), parts[4].cast<bool>()});
  }
  event_state.rate_time = t[6].cast<double>();
  event_state.ends_with = t[7].cast<std::int32_t>();
  event_state.ends_key = t[8].cast<std::uint64_t>();
  event_state.crowd = t[9].cast<std::uint64_t>();
  event_state.stepping = t[10].cast<std::uint64_t>();
  event_state.patience = t[11].cast<std::uint64_t>();
  event_state.length = t[12].cast<double>();
  return event_state;
}

State unpack_parts(const py::tuple& t) {
  State s;
  s.t = t[1].cast<double>();
  s.step = t[2].cast<std::uint64_t>();
  s.h = t[3].cast<double>();
  for (const py::handle& group : t[4]) s.groups.push_back(unpack_group(group.cast<py::tuple>()));
  const auto key = vector_of<std::uint64_t>(t[5]);
  const Vector impulse = numbers_of(t[6]);
  if (static_cast<std::size_t>(impulse.size()) != 6 * key.size()) throw UsageError(kDamaged);
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(6 * i);
    s.contacts.push_back({key[i], impulse.segment<3>(at), impulse.segment<3>(at + 3)});
  }
  for (const py::handle& solver : t[7]) {
    const auto parts = solver.cast<py::tuple>();
    SolverMemory& made = s.solvers.emplace_back();
    made.active = vector_of<int>(parts[0]);
    made.factor = vector_of<double>(parts[1]);
    made.changes = parts[2].cast<std::uint64_t>();
  }
  const auto energy = t[8].cast<py::tuple>();
  s.energy = {energy[0].cast<double>(), energy[1].cast<double>()};
  s.energy_start = energy[2].cast<double>();
  s.ledger = vector_of<double>(t[9]);
  for (const py::handle& one : t[10]) {
    const auto parts = one.cast<py::tuple>();
    s.broken.push_back({parts[0].cast<int>(), parts[1].cast<double>(), parts[2].cast<double>()});
  }
  if (t.size() > 11)
    s.event_state = unpack_events(t[11]);  // else pickled by a version without the mode events
  return s;
}

State unpack(const py::tuple& t) {
  const bool number = t.size() > 0 && py::isinstance<py::int_>(t[0]);
  const int version = number ? t[0].cast<int>() : -1;
  const bool known = (version == kVersion && t.size() == 13) ||
                     (version == kWithoutDigest && (t.size() == 11 || t.size() == 12));
  if (!known) throw UsageError("this pickle of a state is damaged or of another version of Saltus");
  try {
    State s = unpack_parts(t);
    if (version == kVersion && t[12].cast<std::uint64_t>() != StateDigest::of(s))
      throw UsageError(kDamaged);
    return s;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception&) {  // a part is missing, or is not what it should be
    throw UsageError(kDamaged);
  }
}

/// Bitwise equality: NaN equals NaN, and 0 differs from -0.
bool same(const double* a, const double* b, std::size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(double)) == 0;
}
bool same(double a, double b) { return same(&a, &b, 1); }
template <typename Numbers>
bool same_numbers(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && same(a.data(), b.data(), static_cast<std::size_t>(a.size()));
}
bool same(const GroupState& x, const GroupState& y) {
  return same_numbers(x.q, y.q) && same_numbers(x.v, y.v) && same_numbers(x.angles, y.angles) &&
         std::equal(x.memory.begin(), x.memory.end(), y.memory.begin(), y.memory.end(),
                    [](const Vector& u, const Vector& w) { return same_numbers(u, w); });
}
template <typename Range, typename Equal>
bool each(const Range& x, const Range& y, const Equal& equal) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}
bool same(const EventState& a, const EventState& b) {
  return a.active == b.active && same(a.t, b.t) && same(a.h, b.h) && same(a.length, b.length) &&
         same(a.next, b.next) &&
         each(a.start, b.start,
              [](const GroupState& x, const GroupState& y) { return same(x, y); }) &&
         each(a.modes, b.modes,
              [](const ContactMode& x, const ContactMode& y) {
                return x.key == y.key && x.kind == y.kind &&
                       same_numbers(x.direction, y.direction) && same(x.gap, y.gap) &&
                       x.shared == y.shared;
              }) &&
         same(a.rate_time, b.rate_time) && a.ends_with == b.ends_with && a.ends_key == b.ends_key &&
         a.crowd == b.crowd && a.stepping == b.stepping && a.patience == b.patience;
}
bool same(const State& a, const State& b) {
  return same(a.t, b.t) && a.step == b.step && same(a.h, b.h) &&
         same(a.energy.kinetic, b.energy.kinetic) && same(a.energy.potential, b.energy.potential) &&
         same(a.energy_start, b.energy_start) && same_numbers(a.ledger, b.ledger) &&
         a.broken == b.broken && same(a.event_state, b.event_state) &&
         each(a.groups, b.groups,
              [](const GroupState& x, const GroupState& y) { return same(x, y); }) &&
         each(a.contacts, b.contacts,
              [](const ContactMemory& x, const ContactMemory& y) {
                return x.key == y.key && same_numbers(x.impulse, y.impulse) &&
                       same_numbers(x.moment, y.moment);
              }) &&
         each(a.solvers, b.solvers, [](const SolverMemory& x, const SolverMemory& y) {
           return x.active == y.active && same_numbers(x.factor, y.factor) &&
                  x.changes == y.changes;
         });
}

/// (q, v, memory) of each group, over the memory of the state, which does not change.
py::list groups_of(const py::object& self) {
  py::list groups;
  for (const GroupState& group : self.cast<const State&>().groups) {
    py::list memory;
    for (const Vector& one : group.memory) memory.append(array_over(one.data(), one.size(), self));
    groups.append(py::make_tuple(array_over(group.q.data(), group.q.size(), self),
                                 array_over(group.v.data(), group.v.size(), self), memory));
  }
  return groups;
}

}  // namespace

void bind_state(py::module_& m) {
  py::class_<State>(
      m, "State",
      R"(The state of a simulation as an immutable value, which can be kept, compared and pickled.

The same model and the same state give bitwise equal results: `Simulation(model, state)`. States are equal if they are
bitwise equal.
)")
      .def_readonly("t", &State::t, "float : [s].")
      .def_readonly("step", &State::step, "int : steps made since t = 0.")
      .def_readonly("h", &State::h,
                    "float : length of the step for which the schemes store the state [s].")
      .def_property_readonly("_groups", &groups_of)
      .def_property_readonly("_energy",
                             [](const State& s) {
                               return py::make_tuple(s.energy.kinetic, s.energy.potential,
                                                     s.energy.total());
                             })
      .def_readonly("energy_start", &State::energy_start, "float : energy at step 0 [J].")
      .def_property_readonly(
          "ledger", [](const State& s) { return read_only(array_of(s.ledger)); },
          "array : work since step 0 [J], in the order of `Model.accounts`; read-only.")
      .def("__eq__",
           [](const State& a, const py::object& b) -> py::object {
             if (!py::isinstance<State>(b))
               return py::reinterpret_borrow<py::object>(Py_NotImplemented);
             return py::bool_(same(a, b.cast<const State&>()));
           })
      .def("__copy__", [](const State& s) { return State(s); })
      .def(
          "__deepcopy__", [](const State& s, const py::dict&) { return State(s); }, py::arg("memo"))
      .def(py::pickle(&pack, &unpack))
      .attr("__hash__") = py::none();
}

}  // namespace saltus::python
