#include "saltus/scene_file/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <variant>

#include "saltus/scene_file/phase_scenes.h"

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
    throw SceneError(data.entry, "cannot be read", "give a readable file")
        .at(data.file.string(), 0, 0);
  return {data.entry, data.file.string(), size, fmt::format("{:016x}", hash)};
}

/// Collects the files that the entries of a scene name, each under the path of its entry.
class DataFileList {
 public:
  explicit DataFileList(const Scene& scene) : scene_(scene) {}

  std::vector<DataFile> operator()() {
    const SceneSpec& spec = scene_.spec;
    for (std::size_t i = 0; i < spec.bodies.size(); ++i)
      add_body(fmt::format("bodies[{}].", i), spec.bodies[i]);
    for (std::size_t i = 0; i < spec.joints.size(); ++i)
      add_joint(fmt::format("joints[{}].", i), spec.joints[i]);
    for (std::size_t i = 0; i < spec.couplings.size(); ++i)
      add_file(fmt::format("couplings[{}].value.file", i), spec.couplings[i].value);
    for (std::size_t i = 0; i < spec.contacts.size(); ++i) {
      const auto& against = spec.contacts[i].against;
      if (!against) continue;
      const std::string path = fmt::format("contacts[{}].against.", i);
      add(path + "file", against->file);
      add_surface_velocity(path, against->surface_velocity);
    }
    if (const auto* gravity = std::get_if<GravityCourse>(&spec.gravity))
      add("gravity.file", gravity->file);
    if (spec.ground) {
      add_file("ground.x.file", spec.ground->x);
      add_file("ground.y.file", spec.ground->y);
      add_file("ground.z.file", spec.ground->z);
    }
    add_file("reference.file", spec.reference);
    add_file("start.file", spec.start);
    return std::move(files_);
  }

 private:
  void add(const std::string& entry, const std::optional<std::string>& name) {
    if (name) files_.push_back({entry, scene_.resolve(*name)});
  }
  /// The member `file` of an optional entry.
  template <class Entry>
  void add_file(const std::string& entry, const std::optional<Entry>& given) {
    if (given) add(entry, given->file);
  }

  void add_body(const std::string& path, const BodySpec& body) {
    if (body.string) {
      add(path + "string.table", body.string->table);
      add_damping(path + "string.damping.table", body.string->damping);
    }
    if (body.bar) add_damping(path + "bar.damping.table", body.bar->damping);
    if (body.modes) {
      add(path + "modes.file", body.modes->file);
      add(path + "modes.shapes", body.modes->shapes);
    }
    add_file(path + "initial.file", body.initial);
    if (body.matrices) add_matrices(path + "matrices.", *body.matrices);
    add_file(path + "particles.file", body.particles);
    if (body.rigid) add_rigid(path + "rigid.", *body.rigid);
    if (body.pseudo_rigid) {
      add_shape(path + "pseudo_rigid.shape.", body.pseudo_rigid->shape);
      add_file(path + "pseudo_rigid.copies.file", body.pseudo_rigid->copies);
    }
    if (body.fem) add_fem(path + "fem.", *body.fem);
    for (std::size_t k = 0; body.beam && k < body.beam->loads.size(); ++k)
      add_file(fmt::format("{}beam.loads[{}].factor.file", path, k), body.beam->loads[k].factor);
    for (std::size_t k = 0; k < body.loads.size(); ++k)
      add(fmt::format("{}loads[{}].file", path, k), body.loads[k].file);
    for (std::size_t k = 0; k < body.prescribed.size(); ++k)
      add(fmt::format("{}prescribed[{}].file", path, k), body.prescribed[k].file);
  }
  void add_damping(const std::string& entry, const std::optional<DampingSpec>& damping) {
    if (!damping) return;
    if (const auto* table = std::get_if<TableDamping>(&*damping)) add(entry, table->table);
  }
  void add_matrices(const std::string& path, const MatricesSpec& matrices) {
    const auto add_one = [&](const char* key, const auto& spec) {
      if (const auto* name = std::get_if<std::string>(&spec)) add(path + key, *name);
    };
    add_one("mass", matrices.mass);
    if (matrices.damping) add_one("damping", *matrices.damping);
    if (matrices.stiffness) add_one("stiffness", *matrices.stiffness);
    if (matrices.load) add_one("load", *matrices.load);
  }
  void add_surface_velocity(const std::string& path,
                            const std::optional<SurfaceVelocitySpec>& velocity) {
    if (!velocity) return;
    if (const auto* running = std::get_if<RunningSpec>(&*velocity))
      add(path + "surface_velocity.factor.file", running->factor.file);
  }
  void add_shape(const std::string& path, const ShapeSpec& shape) {
    add_surface_velocity(path, shape.surface_velocity);
    add_file(path + "hull.file", shape.hull);
    add_file(path + "height_field.file", shape.height_field);
    if (!shape.mesh) return;
    add(path + "mesh.file", shape.mesh->file);
    for (std::size_t k = 0; k < shape.mesh->pieces.size(); ++k)
      add(fmt::format("{}mesh.pieces[{}]", path, k), shape.mesh->pieces[k]);
  }
  void add_rigid(const std::string& path, const RigidSpec& rigid) {
    if (rigid.shape) add_shape(path + "shape.", *rigid.shape);
    for (std::size_t k = 0; k < rigid.shapes.size(); ++k)
      add_shape(fmt::format("{}shapes[{}].", path, k), rigid.shapes[k]);
    add_file(path + "copies.file", rigid.copies);
    if (!rigid.motion) return;
    add_file(path + "motion.x.file", rigid.motion->x);
    add_file(path + "motion.y.file", rigid.motion->y);
    add_file(path + "motion.z.file", rigid.motion->z);
    add_file(path + "motion.angle.file", rigid.motion->angle);
  }
  void add_fem(const std::string& path, const FemSpec& fem) {
    add(path + "mesh.file", fem.mesh.file);
    add(path + "start", fem.start);
    for (std::size_t k = 0; k < fem.prescribed.size(); ++k) {
      const std::string led = fmt::format("{}prescribed[{}].", path, k);
      add_file(led + "x.file", fem.prescribed[k].x);
      add_file(led + "y.file", fem.prescribed[k].y);
      add_file(led + "z.file", fem.prescribed[k].z);
    }
    for (std::size_t k = 0; k < fem.loads.size(); ++k)
      add_file(fmt::format("{}loads[{}].factor.file", path, k), fem.loads[k].factor);
  }
  template <Dimension D>
  void add_set_point(const std::string& entry, const std::variant<double, CourseSpec<D>>& given) {
    if (const auto* course = std::get_if<CourseSpec<D>>(&given)) add(entry, course->file);
  }
  void add_joint(const std::string& path, const JointSpec& joint) {
    const auto add_drive = [&](const char* key, const auto& laws) {
      if (!laws) return;
      const std::string at = path + key + ".";
      add_file(at + "drive.file", laws->drive);
      if (laws->motor) add_set_point(at + "motor.velocity.file", laws->motor->velocity);
      if (laws->servo) add_set_point(at + "servo.target.file", laws->servo->target);
      if (laws->spring && laws->spring->rest)
        add_set_point(at + "spring.rest.file", *laws->spring->rest);
      if (laws->effort) add_set_point(at + laws->kEffort + ".file", *laws->effort);
    };
    add_drive("turn", joint.turn);
    add_drive("turn2", joint.turn2);
    add_drive("slide", joint.slide);
    add_drive("slide2", joint.slide2);
    add_drive("twist", joint.twist);
  }

  const Scene& scene_;
  std::vector<DataFile> files_;
};

}  // namespace

std::vector<DataFile> data_files(const Scene& scene) {
  std::vector<DataFile> files = DataFileList(scene)();
  for (const PhaseScene& phase : phase_scenes(scene))
    for (DataFile& one : DataFileList(phase.scene)()) {
      const auto same = [&](const DataFile& of) { return of.file == one.file; };
      if (std::ranges::none_of(files, same))
        files.push_back({phase.path + "." + one.entry, std::move(one.file)});
    }
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
