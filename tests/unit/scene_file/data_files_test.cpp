// The data files of a scene: all of them are known, and their hash is FNV-1a.
#include "saltus/scene_file/data_files.h"

#include <doctest/doctest.h>

#include "saltus/scene_file/describe.h"
#include "saltus/scene_file/scene_yaml.h"
#include "unit/results/support.h"
#include "unit/scene_file/scene_samples.h"

using namespace saltus;

namespace {

int count_data_files(const OptionDoc& doc) {
  int count = doc.help.starts_with("CSV file") ? 1 : 0;
  for (const OptionDoc& child : doc.children) count += count_data_files(child);
  return count;
}

}  // namespace

TEST_CASE("data_files of joints that a table drives, and of couplings") {
  const Scene scene = read_scene_text(
      "saltus: 1\ntime: {end: 1, step: 0.1}\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  - {name: j, kind: cylindrical, between: [world, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
      "     turn: {drive: {file: t.csv}}, slide: {drive: {file: s.csv}}}\n"
      "  - {name: u, kind: universal, between: [world, a], at: [0, 0, 0], axis: [0, 0, 1], axis2: "
      "[1, 0, 0], turn2: {drive: {file: u.csv}}}\n"
      "  - {name: p, kind: planar, between: [world, a], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, "
      "0, 0], slide2: {drive: {file: p.csv}}}\n"
      "couplings: [{name: c, sum: [{of: j.turn, weight: 1}, {of: j.slide, weight: 1}], value: "
      "{file: c.csv}}]\n",
      "scene.yaml", {}, "folder");
  std::string text;
  for (const DataFile& data : data_files(scene))
    text += data.entry + " " + data.file.string() + "\n";
  CHECK(text ==
        "joints[0].turn.drive.file folder/t.csv\n"
        "joints[0].slide.drive.file folder/s.csv\n"
        "joints[1].turn2.drive.file folder/u.csv\n"
        "joints[2].slide2.drive.file folder/p.csv\n"
        "couplings[0].value.file folder/c.csv\n");
}

TEST_CASE("data_files of a scene are found in every entry that names one") {
  const Scene scene = read_scene_text(saltus_test::kEverything, "scene.yaml", {}, "folder");
  std::string text;
  for (const DataFile& data : data_files(scene))
    text += data.entry + " " + data.file.string() + "\n";
  CHECK(text ==
        "bodies[0].string.table folder/modes.csv\n"
        "bodies[0].initial.file folder/modes.csv\n"
        "bodies[2].bar.damping.table folder/losses.csv\n"
        "bodies[4].modes.shapes folder/shapes.csv\n"
        "bodies[5].modes.file folder/modes.csv\n"
        "contacts[5].against.file folder/obstacle.csv\n"
        "reference.file folder/exact.csv\n"
        "start.file folder/before.h5\n");
  // These, string.damping.table and those below: an entry that comes new must be added to
  // data_files(). Matrices are counted apart: their entries may also hold numbers.
  CHECK(count_data_files(scene_document()) == 60);

  text.clear();
  const Scene mechanics = read_scene_text(saltus_test::kMechanics, "scene.yaml", {}, "folder");
  for (const DataFile& data : data_files(mechanics)) text += data.entry + "\n";
  CHECK(text ==
        "bodies[4].matrices.mass\n"
        "bodies[4].matrices.stiffness\n"
        "bodies[4].matrices.load\n"
        "bodies[4].prescribed[0].file\n"
        "bodies[5].loads[1].file\n"
        "bodies[14].particles.file\n");

  text.clear();
  const Scene rigid = read_scene_text(
      "saltus: 1\ntime: {end: 1, step: 0.1}\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {shapes: [{hull: {file: a.obj}}, {mesh: {file: b.stl, "
      "pieces: [c.stl, d.stl]}}], density: 1, copies: {file: e.csv}}}\n"
      "  - {name: b, kind: rigid, rigid: {shape: {height_field: {file: f.csv, spacing: [1, 1]}}, "
      "fixed: true}}\n"
      "  - {name: c, kind: rigid, rigid: {shape: {sphere: {radius: 1}}, motion: {x: {file: g.csv}, "
      "z: {file: h.csv}, axis: [0, 0, 1], angle: {file: i.csv}}}}\n",
      "scene.yaml", {}, "folder");
  for (const DataFile& data : data_files(rigid)) text += data.entry + "\n";
  CHECK(text ==
        "bodies[0].rigid.shapes[0].hull.file\n"
        "bodies[0].rigid.shapes[1].mesh.file\n"
        "bodies[0].rigid.shapes[1].mesh.pieces[0]\n"
        "bodies[0].rigid.shapes[1].mesh.pieces[1]\n"
        "bodies[0].rigid.copies.file\n"
        "bodies[1].rigid.shape.height_field.file\n"
        "bodies[2].rigid.motion.x.file\n"
        "bodies[2].rigid.motion.z.file\n"
        "bodies[2].rigid.motion.angle.file\n");
}

TEST_CASE("data_files are told apart by size and by the FNV-1a hash of their bytes") {
  const io_test::Folder folder;
  const std::string text = saltus_test::kSmall + "contacts: [{on: a, against: {file: data.csv}, " +
                           "law: signorini-position}]\n";
  const Scene scene = read_scene_text(text, "scene.yaml", {}, folder.path);
  io_test::put(folder / "data.csv", "foobar");
  const std::vector<InputFile> inputs = input_files(scene);
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0].entry == "contacts[0].against.file");
  CHECK(inputs[0].file == folder / "data.csv");
  CHECK(inputs[0].size == 6);
  CHECK(inputs[0].hash == "85944171f73967e8");  // test vector of Fowler, Noll and Vo
  std::filesystem::remove(folder / "data.csv");
  CHECK(io_test::message<SceneError>([&] { input_files(scene); }).find("cannot be read") !=
        std::string::npos);
}
