// `saltus import` as a user types it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "command.h"

using namespace saltus_test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kRobot = R"(<robot name="door">
  <link name="wall"/>
  <link name="leaf">
    <inertial>
      <origin xyz="0.4 0 0"/>
      <mass value="20"/>
      <inertia ixx="6.7" ixy="0" ixz="0" iyy="7.7" iyz="0" izz="1.1"/>
    </inertial>
    <visual><geometry><box size="0.8 0.04 2"/></geometry></visual>
    <collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.04 2"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="wall"/> <child link="leaf"/>
    <axis xyz="0 0 2"/>
    <limit lower="0" upper="1.5" effort="30" velocity="1"/>
  </joint>
</robot>
)";

}  // namespace

TEST_CASE("import writes a scene that check reads, and tells what is doubtful") {
  const Folder folder;
  folder.write("door.urdf", kRobot);
  const Outcome outcome = saltus_command(folder, {"import", "door.urdf", "--base", "fixed"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err ==
        "saltus: warning: door.urdf:14: joint 'hinge': the axis has the length 2 and is "
        "normalised\n");
  CHECK(holds(outcome.out, "ignored: 1 <visual>\n"));
  CHECK(holds(outcome.out,
              "door.yaml written (bodies: 1, joints: 1, couplings: 0); next: saltus check "
              "door.yaml\n"));
  CHECK(folder.names() == std::vector<std::string>{"door.urdf", "door.yaml"});
  CHECK(holds(folder.read("door.yaml"), "# warning: door.urdf:14: joint 'hinge': the axis"));
  const Outcome checked = saltus_command(folder, {"check", "door.yaml"});
  CAPTURE(checked.err);
  CHECK(checked.code == 0);
}

TEST_CASE("import takes the place of no scene that it was not told to, and never of the robot") {
  const Folder folder;
  folder.write("door.urdf", kRobot);
  folder.write("door.yaml", "mine");
  const Outcome plain = saltus_command(folder, {"import", "door.urdf"});
  CHECK(plain.code == 2);
  CHECK(plain.err ==
        "saltus: door.yaml: already exists and is not overwritten; give a name with -o\n");
  CHECK(folder.read("door.yaml") == "mine");
  CHECK(saltus_command(folder, {"import", "door.urdf", "-o", "./door.urdf"}).code == 2);
  CHECK(folder.read("door.urdf") == kRobot);
  const Outcome json = saltus_command(
      folder, {"import", "door.urdf", "--base", "fixed", "-o", "door.yaml", "--json"});
  CHECK(json.code == 0);
  CHECK(nlohmann::json::parse(json.out)["joints"] == 1);
  CHECK(nlohmann::json::parse(json.out)["warnings"].size() == 1);
  CHECK(folder.read("door.yaml") != "mine");
}

TEST_CASE("a robot that cannot be read gives one line, code 2 and no scene") {
  const Folder folder;
  folder.write("door.urdf", replaced(kRobot, "<parent link=\"wall\"/>", "<parent link=\"wal\"/>"));
  const Outcome outcome = saltus_command(folder, {"import", "door.urdf"});
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(outcome.err ==
        "saltus: door.urdf:12: joint 'hinge': there is no link 'wal', its parent; did you mean "
        "`wall`? allowed: wall, leaf\n");
  CHECK(folder.names() == std::vector<std::string>{"door.urdf"});
  const Outcome base = saltus_command(folder, {"import", "door.urdf", "--base", "fixd"});
  CHECK(base.code == 2);
  CHECK(base.err ==
        "saltus: --base: there is no 'fixd'; did you mean `fixed`? allowed: free, fixed\n");
}
