#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/base/text_check.h"
#include "saltus/import/urdf_xml_internal.h"

namespace saltus {
namespace {

Vector3 vector_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

/// Rotation by roll, pitch and yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll).
Matrix3 roll_pitch_yaw(const Vector3& rpy) {
  // Multiples of pi/2 give exact rotations: sines and cosines within round-off of 0 and +-1 are
  // rounded.
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

class UrdfReader : UrdfXml {
 public:
  UrdfReader(const std::string& name, const std::filesystem::path& folder) : UrdfXml(robot_) {
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
    if (!root) throw SceneError("", "contains no <robot>").at(robot_.file, 0, 0);
    if (std::string_view(root->Name()) != "robot")
      fail(root, fmt::format("the root is <{}>", root->Name()), "a URDF file contains a <robot>");
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
  Pose origin(const XMLElement* e) {
    check_attributes(e, {"xyz", "rpy"});
    Pose pose;
    if (const auto xyz = numbers<3>(e, "xyz")) pose.x = vector_of(*xyz);
    if (const auto rpy = numbers<3>(e, "rpy")) pose.R = roll_pitch_yaw(vector_of(*rpy));
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
      shape.size = vector_of(*size);
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
      if (const auto scale = numbers<3>(e, "scale")) shape.size = vector_of(*scale);
      if (shape.size.prod() == 0.0) fail(e, "`scale` of <mesh> has a 0", "three factors, not 0");
    } else {
      const std::vector<std::string_view> known{"box", "cylinder", "capsule", "sphere", "mesh"};
      fail(e, fmt::format("unknown shape <{}>", tag), did_you_mean(tag, known));
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
    fail(e, fmt::format("unknown type '{}'", type), did_you_mean(type, names));
  }

  Vector3 direction(const XMLElement* e) {
    check_attributes(e, {"xyz"});
    const auto xyz = numbers<3>(e, "xyz");
    if (!xyz) fail(e, "<axis> has no `xyz`", "three numbers, a unit vector");
    const Vector3 axis = vector_of(*xyz);
    const double length = axis.stableNorm();
    if (!(length > 0.0)) fail(e, "the axis is zero", "a unit vector, for example \"0 0 1\"");
    if (std::abs(length - 1.0) > 1e-6)
      warn(e, fmt::format("the axis has the length {:.6g} and is normalised", length));
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
      fail(e, "cannot be a name in a scene",
           "no '/', no control characters, no blank at either end");
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
