#include "saltus/scene_file/data_files.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <variant>

namespace saltus {
namespace {

InputFile read_input(const DataFile& data) {
  std::ifstream stream(data.file, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325ULL, size = 0;
  std::string block(1 << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    const auto count = static_cast<std::size_t>(stream.gcount());
    for (std::size_t i = 0; i < count; ++i)
      hash = (hash ^ static_cast<unsigned char>(block[i])) * 0x100000001b3ULL;
    size += count;
  }
  if (!stream.eof() || stream.bad())
    throw SceneError(data.entry, "cannot be read", "give a file that you may read")
        .at(data.file.string(), 0, 0);
  return {data.entry, data.file.string(), size, fmt::format("{:016x}", hash)};
}

}  // namespace

std::vector<DataFile> data_files(const Scene& scene) {
  std::vector<DataFile> files;
  const auto add = [&](const std::string& entry, const std::optional<std::string>& name) {
    if (name) files.push_back({entry, scene.resolve(*name)});
  };
  const auto add_damping = [&](const std::string& entry,
                               const std::optional<DampingSpec>& damping) {
    if (!damping) return;
    if (const auto* table = std::get_if<TableDamping>(&*damping)) add(entry, table->table);
  };
  const auto add_matrices = [&](const std::string& path, const MatricesSpec& matrices) {
    const auto add_one = [&](const char* key, const auto& spec) {
      if (const auto* name = std::get_if<std::string>(&spec)) add(path + key, *name);
    };
    add_one("mass", matrices.mass);
    if (matrices.damping) add_one("damping", *matrices.damping);
    if (matrices.stiffness) add_one("stiffness", *matrices.stiffness);
    if (matrices.load) add_one("load", *matrices.load);
  };
  const auto add_running = [&](const std::string& path,
                               const std::optional<SurfaceVelocitySpec>& velocity) {
    if (!velocity) return;
    if (const auto* running = std::get_if<RunningSpec>(&*velocity))
      add(path + "surface_velocity.factor.file", running->factor.file);
  };
  const auto add_shape = [&](const std::string& path, const ShapeSpec& shape) {
    add_running(path, shape.surface_velocity);
    if (shape.hull) add(path + "hull.file", shape.hull->file);
    if (shape.height_field) add(path + "height_field.file", shape.height_field->file);
    if (!shape.mesh) return;
    add(path + "mesh.file", shape.mesh->file);
    for (std::size_t k = 0; k < shape.mesh->pieces.size(); ++k)
      add(fmt::format("{}mesh.pieces[{}]", path, k), shape.mesh->pieces[k]);
  };
  const auto add_rigid = [&](const std::string& path, const RigidSpec& rigid) {
    if (rigid.shape) add_shape(path + "shape.", *rigid.shape);
    for (std::size_t k = 0; k < rigid.shapes.size(); ++k)
      add_shape(fmt::format("{}shapes[{}].", path, k), rigid.shapes[k]);
    if (rigid.copies) add(path + "copies.file", rigid.copies->file);
    if (!rigid.motion) return;
    const auto add_course = [&](const char* key, const auto& course) {
      if (course) add(path + "motion." + key + ".file", course->file);
    };
    add_course("x", rigid.motion->x);
    add_course("y", rigid.motion->y);
    add_course("z", rigid.motion->z);
    add_course("angle", rigid.motion->angle);
  };
  const auto add_fem = [&](const std::string& path, const FemSpec& fem) {
    add(path + "mesh.file", fem.mesh.file);
    add(path + "start", fem.start);
    for (std::size_t k = 0; k < fem.prescribed.size(); ++k) {
      const LedNodesSpec& led = fem.prescribed[k];
      for (const auto& [key, course] :
           {std::pair{"x", &led.x}, std::pair{"y", &led.y}, std::pair{"z", &led.z}})
        if (*course) add(fmt::format("{}prescribed[{}].{}.file", path, k, key), (*course)->file);
    }
    for (std::size_t k = 0; k < fem.loads.size(); ++k)
      if (const auto& factor = fem.loads[k].factor)
        add(fmt::format("{}loads[{}].factor.file", path, k), factor->file);
  };
  for (std::size_t i = 0; i < scene.spec.bodies.size(); ++i) {
    const BodySpec& body = scene.spec.bodies[i];
    const std::string path = fmt::format("bodies[{}].", i);
    if (body.string) {
      add(path + "string.table", body.string->table);
      add_damping(path + "string.damping.table", body.string->damping);
    }
    if (body.bar) add_damping(path + "bar.damping.table", body.bar->damping);
    if (body.modes) {
      add(path + "modes.file", body.modes->file);
      add(path + "modes.shapes", body.modes->shapes);
    }
    if (body.initial) add(path + "initial.file", body.initial->file);
    if (body.matrices) add_matrices(path + "matrices.", *body.matrices);
    if (body.particles) add(path + "particles.file", body.particles->file);
    if (body.rigid) add_rigid(path + "rigid.", *body.rigid);
    if (body.pseudo_rigid) {
      add_shape(path + "pseudo_rigid.shape.", body.pseudo_rigid->shape);
      if (body.pseudo_rigid->copies)
        add(path + "pseudo_rigid.copies.file", body.pseudo_rigid->copies->file);
    }
    if (body.fem) add_fem(path + "fem.", *body.fem);
    for (std::size_t k = 0; body.beam && k < body.beam->loads.size(); ++k)
      if (const auto& factor = body.beam->loads[k].factor)
        add(fmt::format("{}beam.loads[{}].factor.file", path, k), factor->file);
    for (std::size_t k = 0; k < body.loads.size(); ++k)
      add(fmt::format("{}loads[{}].file", path, k), body.loads[k].file);
    for (std::size_t k = 0; k < body.prescribed.size(); ++k)
      add(fmt::format("{}prescribed[{}].file", path, k), body.prescribed[k].file);
  }
  const auto add_drive = [&](const std::string& entry, const auto& laws) {
    if (laws && laws->drive) add(entry + ".drive.file", laws->drive->file);
  };
  for (std::size_t i = 0; i < scene.spec.joints.size(); ++i) {
    const JointSpec& joint = scene.spec.joints[i];
    const std::string path = fmt::format("joints[{}].", i);
    add_drive(path + "turn", joint.turn);
    add_drive(path + "turn2", joint.turn2);
    add_drive(path + "slide", joint.slide);
    add_drive(path + "slide2", joint.slide2);
  }
  for (std::size_t i = 0; i < scene.spec.couplings.size(); ++i)
    if (const auto& value = scene.spec.couplings[i].value)
      add(fmt::format("couplings[{}].value.file", i), value->file);
  for (std::size_t i = 0; i < scene.spec.contacts.size(); ++i) {
    const auto& against = scene.spec.contacts[i].against;
    if (!against) continue;
    const std::string path = fmt::format("contacts[{}].against.", i);
    add(path + "file", against->file);
    add_running(path, against->surface_velocity);
  }
  if (scene.spec.reference) add("reference.file", scene.spec.reference->file);
  return files;
}

std::vector<InputFile> input_files(const Scene& scene) {
  std::vector<InputFile> inputs;
  for (const DataFile& data : data_files(scene)) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(data.file, ignored);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))
      inputs.push_back(read_input(data));
  }
  return inputs;
}

}  // namespace saltus
