#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/base/text_check.h"
#include "saltus/io/urdf_robot.h"

namespace saltus {
namespace {

using tinyxml2::XMLElement;

/// What stands in URDF files and is no part of the mechanics.
constexpr std::string_view kNotRead[] = {"visual",       "gazebo",  "transmission",
                                         "material",     "sensor",  "calibration",
                                         "ros2_control", "contact", "safety_controller",
                                         "group_state",  "verbose", "self_collision_checking"};

/// Rotation by roll, pitch and yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll).
Matrix3 roll_pitch_yaw(const Vector3& rpy) {
  // Multiples of pi/2 turn exactly: their sine and cosine are 0 or 1 but for round-off.
  const auto whole = [](double x) {
    const double near = std::round(x);
    return std::abs(x - near) <= 1e-15 ? near + 0.0 : x;
  };
  Vector3 c, s;
  for (int k = 0; k < 3; ++k) {
    c[k] = whole(std::cos(rpy[k]));
    s[k] = whole(std::sin(rpy[k]));
  }
  Matrix3 X, Y, Z;
  X << 1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0];
  Y << c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1];
  Z << c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1;
  return Z * Y * X;
}

class UrdfReader {
 public:
  UrdfReader(const std::string& name, const std::filesystem::path& folder) {
    robot_.file = name;
    robot_.folder = folder;
  }

  UrdfRobot read(const std::string& text) {
    check_utf8(text);
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      std::string what = document.ErrorName();
      what = what.starts_with("XML_ERROR_") ? what.substr(10) : what;
      for (char& c : what) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
      throw SceneError("", "is not XML: " + what).at(robot_.file, document.ErrorLineNum(), 0);
    }
    const XMLElement* root = document.RootElement();
    if (!root) throw SceneError("", "holds no <robot>").at(robot_.file, 0, 0);
    if (std::string_view(root->Name()) != "robot")
      fail(root, fmt::format("the root is <{}>", root->Name()), "a URDF file holds a <robot>");
    robot_.name = root->Attribute("name") ? root->Attribute("name") : "";
    each_child(root, {}, {"link", "joint"}, [&](const XMLElement* e, const std::string& tag) {
      if (tag == "link")
        robot_.links.push_back(link(e));
      else
        robot_.joints.push_back(joint(e));
    });
    if (robot_.links.empty()) fail(root, "the robot has no link", "at least one <link name=...>");
    check_names();
    tell_what_was_not_read();
    return std::move(robot_);
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  [[noreturn]] void fail(const XMLElement* e, const std::string& what,
                         const std::string& hint = "") const {
    throw SceneError(owner_, what, hint).at(robot_.file, e->GetLineNum(), 0);
  }
  void warn(const XMLElement* e, const std::string& what) {
    robot_.warnings.push_back(fmt::format("{}:{}: {}{}{}", robot_.file, e->GetLineNum(), owner_,
                                          owner_.empty() ? "" : ": ", what));
  }

  void check_utf8(std::string text) const {
    std::ranges::replace(text, '\t', ' ');  // allowed here
    check_text(text, robot_.file);
  }

  /// An element that is not read: counted where it is known, else told at its first place.
  void pass_over(const XMLElement* e, std::vector<std::string_view> allowed) {
    const std::string tag = e->Name();
    if (tag.starts_with("xacro:"))
      fail(e, fmt::format("<{}> is a macro of xacro", tag),
           "expand the file first: xacro robot.urdf.xacro > robot.urdf");
    if (std::ranges::find(kNotRead, tag) != std::end(kNotRead))
      ++not_read_[tag];
    else if (told_.insert(tag).second)
      warn(e, fmt::format("<{}> is not read; {}", tag, did_you_mean(tag, allowed)));
  }
  void check_attributes(const XMLElement* e, Names allowed) {
    for (const auto* a = e->FirstAttribute(); a; a = a->Next()) {
      const std::string name = a->Name();
      if (std::ranges::find(allowed, name) != allowed.end()) continue;
      if (!told_.insert(std::string(e->Name()) + "." + name).second) continue;
      const std::vector<std::string_view> known(allowed);
      warn(e,
           fmt::format("`{}` of <{}> is not read; {}", name, e->Name(), did_you_mean(name, known)));
    }
  }
  void tell_what_was_not_read() {
    std::string list;
    for (const auto& [tag, count] : not_read_)
      list += fmt::format("{}{} <{}>", list.empty() ? "" : ", ", count, tag);
    if (!list.empty()) robot_.remarks.push_back("not read: " + list);
  }

  /// Calls use(child) for each child element; `single` ones may be there once, `many` often, others are passed over.
  template <class Use>
  void each_child(const XMLElement* e, Names single, Names many, Use&& use) {
    std::set<std::string> seen;
    for (const XMLElement* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) {
      const std::string tag = c->Name();
      const bool one = std::ranges::find(single, tag) != single.end();
      if (!one && std::ranges::find(many, tag) == many.end()) {
        std::vector<std::string_view> allowed(single);
        allowed.insert(allowed.end(), many.begin(), many.end());
        pass_over(c, std::move(allowed));
        continue;
      }
      if (one && !seen.insert(tag).second)
        fail(c, fmt::format("<{}> has two <{}>", e->Name(), tag), "one of them");
      use(c, tag);
    }
  }

  std::string text_of(const XMLElement* e, const char* key) const {
    const char* value = e->Attribute(key);
    if (!value || !*value)
      fail(e, fmt::format("<{}> has no `{}`", e->Name(), key),
           fmt::format("<{} {}=\"...\">", e->Name(), key));
    return value;
  }

  /// Numbers separated by blanks.
  template <std::size_t N>
  std::optional<std::array<double, N>> numbers(const XMLElement* e, const char* key) const {
    const char* text = e->Attribute(key);
    if (!text) return std::nullopt;
    std::array<double, N> values{};
    std::string_view rest(text);
    std::size_t count = 0;
    bool good = true;
    for (;;) {
      const std::size_t begin = rest.find_first_not_of(" \t\r\n");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      std::string_view word = rest.substr(0, rest.find_first_of(" \t\r\n"));
      rest.remove_prefix(word.size());
      if (word.starts_with('+')) word.remove_prefix(1);
      double x = 0.0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
      good = good && error == std::errc() && end == word.data() + word.size() && std::isfinite(x);
      if (count < N) values[count] = x;
      ++count;
    }
    if (!good || count != N)
      fail(e, fmt::format("`{}` of <{}> is \"{}\"", key, e->Name(), text),
           N == 1 ? "a number" : fmt::format("{} numbers with blanks between them", N));
    return values;
  }
  std::optional<double> number(const XMLElement* e, const char* key) const {
    const auto one = numbers<1>(e, key);
    return one ? std::optional((*one)[0]) : std::nullopt;
  }
  double required_number(const XMLElement* e, const char* key) const {
    const auto value = number(e, key);
    if (!value) fail(e, fmt::format("<{}> has no `{}`", e->Name(), key), "a number");
    return *value;
  }
  double positive(const XMLElement* e, const char* key) const {
    const double value = required_number(e, key);
    if (!(value > 0.0))
      fail(e, fmt::format("`{}` of <{}> is {}", key, e->Name(), value), "a length > 0 in m");
    return value;
  }
  double not_negative(const XMLElement* e, const char* key) const {
    const double value = number(e, key).value_or(0.0);
    if (value < 0.0) fail(e, fmt::format("`{}` of <{}> is {}", key, e->Name(), value), ">= 0");
    return value;
  }
  static Vector3 vector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

  Pose origin(const XMLElement* e) {
    check_attributes(e, {"xyz", "rpy"});
    Pose pose;
    if (const auto xyz = numbers<3>(e, "xyz")) pose.x = vector(*xyz);
    if (const auto rpy = numbers<3>(e, "rpy")) pose.R = roll_pitch_yaw(vector(*rpy));
    return pose;
  }

  UrdfLink link(const XMLElement* e) {
    owner_ = "";
    check_attributes(e, {"name", "type"});
    UrdfLink link;
    link.line = e->GetLineNum();
    link.name = text_of(e, "name");
    owner_ = fmt::format("link '{}'", link.name);
    check_name(e, link.name);
    each_child(e, {"inertial"}, {"collision"}, [&](const XMLElement* c, const std::string& tag) {
      if (tag == "inertial")
        link.inertial = inertial(c);
      else
        link.shapes.push_back(collision(c));
    });
    owner_ = "";
    return link;
  }

  UrdfInertial inertial(const XMLElement* e) {
    UrdfInertial made;
    made.line = e->GetLineNum();
    bool has_mass = false, has_inertia = false;
    each_child(
        e, {"origin", "mass", "inertia"}, {}, [&](const XMLElement* c, const std::string& tag) {
          if (tag == "origin") {
            made.at = origin(c);
          } else if (tag == "mass") {
            check_attributes(c, {"value"});
            made.mass = required_number(c, "value");
            if (made.mass < 0.0) fail(c, fmt::format("the mass is {} kg", made.mass), "> 0");
            has_mass = true;
          } else {
            check_attributes(c, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
            const double xx = required_number(c, "ixx"), yy = required_number(c, "iyy"),
                         zz = required_number(c, "izz"), xy = number(c, "ixy").value_or(0.0),
                         xz = number(c, "ixz").value_or(0.0), yz = number(c, "iyz").value_or(0.0);
            made.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
            has_inertia = true;
          }
        });
    if (!has_mass) fail(e, "<inertial> has no <mass>", "<mass value=\"...\"/> in kg");
    if (!has_inertia && made.mass > 0.0)
      fail(e, "<inertial> has no <inertia>",
           "<inertia ixx=... ixy=... ixz=... iyy=... iyz=... izz=.../> in kg m^2");
    return made;
  }

  UrdfShape collision(const XMLElement* e) {
    check_attributes(e, {"name"});
    UrdfShape shape;
    shape.line = e->GetLineNum();
    bool found = false;
    each_child(e, {"origin", "geometry"}, {}, [&](const XMLElement* c, const std::string& tag) {
      if (tag == "origin") {
        shape.at = origin(c);
        return;
      }
      const XMLElement* form = c->FirstChildElement();
      if (!form || form->NextSiblingElement())
        fail(c, fmt::format("<geometry> has {} shapes", form ? "several" : "no"),
             "one: box, cylinder, capsule, sphere or mesh");
      geometry(form, shape);
      found = true;
    });
    if (!found) fail(e, "<collision> has no <geometry>", "box, cylinder, capsule, sphere or mesh");
    return shape;
  }

  void geometry(const XMLElement* e, UrdfShape& shape) {
    const std::string_view tag = e->Name();
    shape.line = e->GetLineNum();
    if (tag == "box") {
      check_attributes(e, {"size"});
      const auto size = numbers<3>(e, "size");
      if (!size || std::ranges::any_of(*size, [](double x) { return !(x > 0.0); }))
        fail(e, fmt::format("`size` of <box> is {}", size ? "not positive" : "missing"),
             "three edges > 0 in m");
      shape.kind = UrdfShape::Kind::box;
      shape.size = vector(*size);
    } else if (tag == "cylinder" || tag == "capsule") {
      check_attributes(e, {"radius", "length"});
      shape.kind = tag == "cylinder" ? UrdfShape::Kind::cylinder : UrdfShape::Kind::capsule;
      shape.radius = positive(e, "radius");
      shape.length = positive(e, "length");
    } else if (tag == "sphere") {
      check_attributes(e, {"radius"});
      shape.kind = UrdfShape::Kind::sphere;
      shape.radius = positive(e, "radius");
    } else if (tag == "mesh") {
      check_attributes(e, {"filename", "scale"});
      shape.kind = UrdfShape::Kind::mesh;
      shape.mesh = text_of(e, "filename");
      if (const auto scale = numbers<3>(e, "scale")) shape.size = vector(*scale);
      if (shape.size.prod() == 0.0) fail(e, "`scale` of <mesh> has a 0", "three factors, not 0");
    } else {
      const std::vector<std::string_view> known{"box", "cylinder", "capsule", "sphere", "mesh"};
      fail(e, fmt::format("there is no shape <{}>", tag), did_you_mean(tag, known));
    }
  }

  UrdfJoint joint(const XMLElement* e) {
    owner_ = "";
    check_attributes(e, {"name", "type"});
    UrdfJoint joint;
    joint.line = e->GetLineNum();
    joint.name = text_of(e, "name");
    owner_ = fmt::format("joint '{}'", joint.name);
    check_name(e, joint.name);
    joint.kind = joint_kind(e);
    const XMLElement* axis = nullptr;
    each_child(e, {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"}, {},
               [&](const XMLElement* c, const std::string& tag) {
                 if (tag == "parent" || tag == "child") {
                   check_attributes(c, {"link"});
                   (tag == "parent" ? joint.parent : joint.child) = text_of(c, "link");
                 } else if (tag == "origin") {
                   joint.at = origin(c);
                 } else if (tag == "axis") {
                   axis = c;
                 } else if (tag == "limit") {
                   joint.limit = limit(c);
                 } else if (tag == "dynamics") {
                   check_attributes(c, {"damping", "friction"});
                   joint.damping = not_negative(c, "damping");
                   joint.friction = not_negative(c, "friction");
                 } else {
                   check_attributes(c, {"joint", "multiplier", "offset"});
                   joint.mimic = {c->GetLineNum(), text_of(c, "joint"),
                                  number(c, "multiplier").value_or(1.0),
                                  number(c, "offset").value_or(0.0)};
                 }
               });
    if (joint.parent.empty()) fail(e, "has no <parent>", "<parent link=\"...\"/>");
    if (joint.child.empty()) fail(e, "has no <child>", "<child link=\"...\"/>");
    if (axis && joint.kind != UrdfJoint::Kind::fixed && joint.kind != UrdfJoint::Kind::floating)
      joint.axis = direction(axis);
    owner_ = "";
    return joint;
  }

  UrdfJoint::Kind joint_kind(const XMLElement* e) const {
    const std::string type = text_of(e, "type");
    for (const auto& known : names_of(UrdfJoint::Kind{}))
      if (known.name == type) return known.value;
    std::vector<std::string_view> names;
    for (const auto& known : names_of(UrdfJoint::Kind{})) names.push_back(known.name);
    fail(e, fmt::format("there is no type '{}'", type), did_you_mean(type, names));
  }

  Vector3 direction(const XMLElement* e) {
    check_attributes(e, {"xyz"});
    const auto xyz = numbers<3>(e, "xyz");
    if (!xyz) fail(e, "<axis> has no `xyz`", "three numbers, a unit vector");
    const Vector3 axis = vector(*xyz);
    const double length = axis.stableNorm();
    if (!(length > 0.0)) fail(e, "the axis is zero", "a unit vector, for example \"0 0 1\"");
    if (std::abs(length - 1.0) > 1e-6)
      warn(e, fmt::format("the axis has the length {:.6g} and is made a unit vector", length));
    return length == 1.0 ? axis : Vector3(axis / length);
  }

  UrdfLimit limit(const XMLElement* e) {
    check_attributes(e, {"lower", "upper", "effort", "velocity"});
    UrdfLimit made;
    made.line = e->GetLineNum();
    made.lower = number(e, "lower");
    made.upper = number(e, "upper");
    for (const auto& [key, value] :
         {std::pair{"effort", &made.effort}, {"velocity", &made.velocity}})
      if (e->Attribute(key)) *value = not_negative(e, key);
    return made;
  }

  void check_name(const XMLElement* e, const std::string& name) const {
    const bool control =
        std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (control || name.find('/') != std::string::npos || name.front() == ' ' ||
        name.back() == ' ' || name == ".")
      fail(e, "cannot be a name in a scene", "no '/', no control characters, no blank at its ends");
  }
  void check_names() const {
    const auto unique = [&](const auto& all, const char* what) {
      std::map<std::string, int> lines;
      for (const auto& one : all)
        if (const auto [first, is_new] = lines.emplace(one.name, one.line); !is_new)
          throw SceneError(fmt::format("{} '{}'", what, one.name),
                           fmt::format("the name is used twice, first at line {}", first->second),
                           "names are unique")
              .at(robot_.file, one.line, 0);
    };
    unique(robot_.links, "link");
    unique(robot_.joints, "joint");
  }

  UrdfRobot robot_;
  std::string owner_;                    ///< "link 'arm'" where messages come from, "" outside
  std::map<std::string, int> not_read_;  ///< known elements, by name
  std::set<std::string> told_;
};

}  // namespace

UrdfRobot read_urdf(const std::filesystem::path& file) {
  return read_urdf_text(read_text_file(file), file.string(), file.parent_path());
}

UrdfRobot read_urdf_text(const std::string& text, const std::string& name,
                         const std::filesystem::path& folder) {
  return UrdfReader(name, folder).read(text);
}

}  // namespace saltus
