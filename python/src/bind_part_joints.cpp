// Joints, couplings and laws on their coordinates in models built in code.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>

#include "gil.h"
#include "model_parts.h"
#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus::python {
namespace {

JointKind joint_kind(const std::string& name) {
  std::vector<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(JointKind::line); ++k) {
    const auto kind = static_cast<JointKind>(k);
    names.push_back(kind == JointKind::socket ? "socket" : name_of(kind));  // elsewhere ball
    if (names.back() == name) return kind;
  }
  wrong("there is no kind of joint '{}' ({})", name, did_you_mean(name, names));
}

int joint_index(const ModelParts& parts, const py::handle& joint) {
  if (py::isinstance<py::str>(joint)) {
    const std::string name = joint.cast<std::string>();
    if (parts.joints.empty()) wrong("there is no joint '{}'; add_joint() adds one", name);
    std::vector<std::string_view> names;
    for (std::size_t j = 0; j < parts.joints.size(); ++j) {
      if (parts.joints[j].name == name) return static_cast<int>(j);
      names.push_back(parts.joints[j].name);
    }
    wrong("there is no joint '{}' ({})", name, did_you_mean(name, names));
  }
  int index = -1;
  try {
    index = joint.cast<int>();
  } catch (const py::cast_error&) {
    wrong("a joint is {} (its name or index)", py::repr(joint).cast<std::string>());
  }
  if (index < 0 || index >= static_cast<int>(parts.joints.size()))
    wrong("there is no joint {} of {}", index, parts.joints.size());
  return index;
}

JointSide joint_side(const PartsObject& self, const py::handle& given, const Matrix3& axes,
                     const char* what) {
  const ContactSide side = self.side(given, what);
  if (!((axes.transpose() * axes - Matrix3::Identity()).norm() < 1e-9 && axes.determinant() > 0.0))
    wrong("axes of {} are not a rotation: columns x, y, z must be orthogonal unit vectors", what);
  return {side.group, side.ref, axes};
}

int add_joint(PartsObject& self, const std::string& name, const std::string& kind,
              const py::object& a, const py::object& b, const Matrix3& axes_a,
              const Matrix3& axes_b, double length, double strength) {
  Joint joint;
  joint.name = name;
  for (const Joint& other : self.parts.joints)
    if (other.name == name) wrong("joint '{}' already exists", name);
  joint.kind = joint_kind(kind);
  joint.a = joint_side(self, a, axes_a, "a");
  joint.b = joint_side(self, b, axes_b, "b");
  if (joint.kind == JointKind::distance && !(length > 0.0))
    wrong("joint '{}': a distance needs a length > 0 [m]", name);
  if (!std::isfinite(length)) wrong("joint '{}': length is {} (a finite number [m])", name, length);
  if (!(strength >= 0.0))
    wrong("joint '{}': strength is {} (>= 0 N; 0: unlimited)", name, strength);
  joint.length = length;
  joint.strength = strength;
  self.parts.joints.push_back(joint);
  self.parts.joint_path.push_back(name);
  return static_cast<int>(self.parts.joints.size()) - 1;
}

/// A Python function that returns (value, rate) at t, called from the thread that steps.
std::function<std::array<double, 2>(double)> course(const py::object& given) {
  if (given.is_none()) return {};
  if (!PyCallable_Check(given.ptr())) {
    double value = 0.0;
    try {
      value = given.cast<double>();
    } catch (const py::cast_error&) {
      throw py::type_error("value of a coupling is " + py::repr(given).cast<std::string>() +
                           ", a number or a function of t is expected");
    }
    if (!std::isfinite(value)) wrong("value of a coupling is {}", value);
    return [value](double) { return std::array{value, 0.0}; };
  }
  const std::shared_ptr<py::object> function(new py::object(given), [](py::object* object) {
    if (!Py_IsInitialized()) return;
    const Gil gil;
    delete object;
  });
  return [function](double t) {
    const Gil gil;
    const py::object result = into_python([&] { return (*function)(t); });
    try {
      return result.cast<std::array<double, 2>>();
    } catch (const py::cast_error&) {
      throw py::type_error("value(t) of a coupling gave " + py::repr(result).cast<std::string>() +
                           ", (value, rate) is expected");
    }
  };
}

int add_coupling(PartsObject& self, const std::string& name,
                 const std::vector<std::tuple<py::object, int, double>>& terms,
                 const py::object& value) {
  JointCoupling coupling;
  coupling.name = name;
  for (const auto& [joint, coordinate, weight] : terms) {
    const int j = joint_index(self.parts, joint);
    const Joint& of = self.parts.joints[static_cast<std::size_t>(j)];
    if (coordinate < 0 || coordinate >= coordinate_count(of.kind))
      wrong("coupling '{}': joint '{}' ({}) has {} coordinates, not {}", name, of.name,
            name_of(of.kind), coordinate_count(of.kind), coordinate + 1);
    if (!std::isfinite(weight)) wrong("coupling '{}': a weight is {}", name, weight);
    coupling.terms.push_back({j, coordinate, weight});
  }
  if (coupling.terms.empty()) wrong("coupling '{}' has no terms", name);
  coupling.value = course(value);
  self.parts.couplings.push_back(std::move(coupling));
  return static_cast<int>(self.parts.couplings.size()) - 1;
}

int add_joint_law(PartsObject& self, const py::object& joint, int law, int coordinate, double sign,
                  double offset, const std::string& name) {
  ModelParts& parts = self.parts;
  JointLaw made;
  made.joint = joint_index(parts, joint);
  const Joint& of = parts.joints[static_cast<std::size_t>(made.joint)];
  if (coordinate < 0 || coordinate >= coordinate_count(of.kind))
    wrong("joint '{}' ({}) has {} coordinates, and none is {}", of.name, name_of(of.kind),
          coordinate_count(of.kind), coordinate);
  if (law < 0 || law >= static_cast<int>(parts.laws.size())) wrong("there is no law {}", law);
  if (sign != 1.0 && sign != -1.0) wrong("sign is {} (1 or -1)", sign);
  if (!std::isfinite(offset)) wrong("offset is {} (a finite number)", offset);
  made.coordinate = coordinate;
  made.law = law;
  made.sign = sign;
  made.offset = offset;
  made.name = name.empty() ? of.name + ".law" : name;
  parts.joint_laws.push_back(made);
  return static_cast<int>(parts.joint_laws.size()) - 1;
}

}  // namespace

void bind_part_joints(PartsClass& cls) {
  const Matrix3 same = Matrix3::Identity();
  cls.def("add_joint", &add_joint, py::arg("name"), py::arg("kind"), py::arg("a"), py::arg("b"),
          py::arg("axes_a") = same, py::arg("axes_b") = same, py::arg("length") = 0.0,
          py::arg("strength") = 0.0, R"(Joins two points; returns the index of the joint.

ModelParts.build() moves the bodies so that it is closed, and makes the velocities at t = 0 compatible with it.

Parameters
----------
name : str
kind : {'fixed', 'ball', 'socket', 'revolute', 'prismatic', 'cylindrical', 'planar', 'universal', 'distance', 'along', 'line'}
    socket: a ball joint with axes and the coordinates twist, swing_x, swing_y and swing.
a, b : Point, or place [x, y, z] in the world [m]
axes_a, axes_b : array, shape (3, 3)
    Columns x, y, z of the joint on each side, in the frame of a rigid body, otherwise in space; the axis of a revolute,
    prismatic or cylindrical joint and the normal of a planar one is z.
length : float
    Length of a distance joint [m].
strength : float
    Tension at which a distance joint breaks [N]; 0: unlimited.)")
      .def("add_coupling", &add_coupling, py::arg("name"), py::arg("terms"),
           py::arg("value") = py::none(),
           R"(Prescribes a weighted sum of coordinates of joints: gears, screws, driven coordinates.

ModelParts.build() moves the bodies so that the sum has its value at t = 0, and sets its rate.

Parameters
----------
name : str
terms : list of (joint, coordinate, weight)
    joint: name or index; coordinate from 0 [rad, m].
value : float or callable, optional
    value(t) returns (value, rate); 0 if not given.)")
      .def(
          "add_joint_law", &add_joint_law, py::arg("joint"), py::arg("law"),
          py::arg("coordinate") = 0, py::arg("sign") = 1.0, py::arg("offset") = 0.0,
          py::arg("name") = "",
          R"(A law without friction on a coordinate c of a joint, gap = sign (c - offset): limits, motors, springs.
joint: name or index; law: from add_law(); coordinate: from 0; offset [rad, m]; name: of the law in results.)");
}

}  // namespace saltus::python
