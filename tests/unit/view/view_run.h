// A run in which bodies of several kinds are put where the test wants them.
#pragma once
#include "saltus/bodies/particles.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/rigid.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/nodal_fit.h"
#include "saltus/results/results.h"
#include "saltus/results/results_reader.h"
#include "saltus/schemes/moreau_jean.h"
#include "unit/results/support.h"

namespace view_test {

using namespace saltus;

inline Group rigid_group(const std::string& name, int count) {
  RigidSystem system;
  system.bodies.resize(static_cast<std::size_t>(count));
  for (RigidBody& body : system.bodies) {
    body.mass = 1.0;
    body.inertia = Matrix3::Identity();
  }
  return {name, "rigid", std::make_shared<Rigid>(std::move(system)), make_moreau_jean({})};
}

inline Group particle_group(const std::string& name, int count) {
  ParticleSystem system;
  system.mass = Vector::Ones(count);
  return {name, "particles", std::make_shared<Particles>(std::move(system)), make_moreau_jean({})};
}

/// A brick of one element that nothing holds.
inline Group brick_group(const std::string& name) {
  FemSystem system;
  BoxMesh box;
  box.cells = {1, 1, 1};
  system.mesh = box_mesh(box);
  FemMaterial material;
  material.material.law = MaterialLaw::linear;
  material.material.young = 1e6;
  material.material.poisson = 0.25;
  system.materials = {material};
  return {name, "fem", std::make_shared<Fem>(std::move(system)), make_moreau_jean({})};
}

inline Group drop_group(const std::string& name) {
  PseudoRigidBody body;
  body.mass = 2.0;
  body.volume = 1.0;
  body.euler = Matrix3::Identity();
  body.material.law = MaterialLaw::neo_hooke;
  body.material.young = 1e5;
  PseudoRigidSystem system;
  system.bodies = {body};
  return {name, "pseudo-rigid", std::make_shared<PseudoRigid>(std::move(system)),
          make_moreau_jean({})};
}

struct PutRun {
  Model model;
  State state;
  std::vector<Vector> velocities;

  /// A string with a probe, heard 8000 times a second, and these bodies.
  explicit PutRun(std::vector<Group> bodies) : model(make(std::move(bodies))) {
    state.h = model.options().h;
    state.groups.assign(model.initial().begin(), model.initial().end());
    state.ledger.assign(model.accounts().size(), 0.0);
    state.solvers.resize(static_cast<std::size_t>(model.island_count()));
    at(0);
  }

  static Model make(std::vector<Group> bodies) {
    ModelParts parts;
    parts.groups = {io_test::modes("string", 5)};
    for (Group& group : bodies) parts.groups.push_back(std::move(group));
    for (const Group& group : parts.groups) {
      GroupState start;
      start.q = Vector::Zero(group.dynamics->positions());
      start.v = Vector::Zero(group.dynamics->velocities());
      parts.initial.push_back(start);
    }
    const auto string = std::dynamic_pointer_cast<const Modal>(parts.groups[0].dynamics);
    parts.probes.resize(1);
    parts.probes[0].name = "pickup";
    parts.probes[0].table = string->probe(0.3, 1e9);
    parts.laws.emplace_back(saltus::SignoriniPosition{});
    for (double x : {0.25, 0.5}) {
      ContactPair pair;
      pair.key = static_cast<std::uint64_t>(100.0 * x);
      pair.a.group = 0;
      pair.a.ref.local = {x, 0.0, 0.0};
      pair.b.ref.local = {x, 0.0, -0.01};
      pair.normal = Vector3::UnitZ();
      parts.pairs.push_back(pair);
    }
    parts.solver = std::make_shared<io_test::NoSolver>();
    parts.options.h = 1.0 / 8000.0;
    parts.options.end = 1.0;
    return Model(std::move(parts));
  }

  /// Numbers without a pattern; rotations of length 1, F near the identity.
  void at(int k) {
    state.step = static_cast<std::uint64_t>(k);
    state.t = k * state.h;
    velocities.clear();
    for (std::size_t g = 0; g < state.groups.size(); ++g) {
      Vector& q = state.groups[g].q;
      const std::string& kind = model.groups()[g].kind;
      const double size = kind == "modal"                           ? 0.01
                          : kind == "fem" || kind == "pseudo-rigid" ? 0.1
                                                                    : 5.0;
      for (Eigen::Index i = 0; i < q.size(); ++i)
        q[i] = size * std::sin(2.3 * static_cast<double>(i) + 0.1 * k + static_cast<double>(g));
      if (kind == "rigid")
        for (Eigen::Index m = 0; m < q.size(); m += 7) q.segment<4>(m + 3).normalize();
      if (kind == "pseudo-rigid")
        for (int i : {0, 4, 8}) q[i] += 1.0;
      velocities.push_back(0.5 * state.groups[g].v + Vector::Constant(state.groups[g].v.size(), k));
    }
  }

  void write(const std::string& path, int frames, bool stress = false) {
    ResultsOptions options;
    options.fields.stress = stress;
    ResultsWriter out(path, model, io_test::kScene,
                      R"({"title": "A </script> B", "gravity": [0, 0, -9.81]})", options);
    at(0);
    out.start(state, std::array{0.0});
    for (int k = 1; k <= frames; ++k) {
      at(k);
      out.record({}, state, std::array{std::sin(0.3 * k)});
      out.frame(state, velocities);
    }
    out.finish(state, {});
  }
};

inline void remove_if_there(const h5::Group& group, const std::string& name) {
  if (group.has(name)) group.remove(name);
}

/// Takes away what files have not that were written before there was a viewer.
inline void make_old(const std::string& path) {
  h5::File file = h5::File::modify(path);
  for (const char* name : {"drawing", "timing"}) remove_if_there(file, name);
  for (const char* name : {"point", "normal", "force", "gap", "status", "body"})
    remove_if_there(file.group("contacts"), name);
  remove_if_there(file.group("bodies/string"), "line");
  remove_if_there(file.group("bodies/string"), "displacement");
  file.close();
}

/// Contacts of body 1 with the world: count[k] in frame k, forces 1, 2, 3, ... N.
inline void put_contacts(const std::string& path, const std::vector<int>& count) {
  make_old(path);
  h5::File file = h5::File::modify(path);
  const h5::Group group = file.group("contacts");
  group.remove("offset");
  std::vector<std::uint64_t> offset{0};
  for (int n : count) offset.push_back(offset.back() + static_cast<std::uint64_t>(n));
  const auto rows = static_cast<std::size_t>(offset.back());
  std::vector<double> point, normal, force, gap(rows, -1e-6);
  std::vector<std::int32_t> status(rows, 2), body;
  for (std::size_t k = 0; k < count.size(); ++k)
    for (int i = 0; i < count[k]; ++i) {
      const double x = std::sin(1.7 * i + static_cast<double>(k));
      point.insert(point.end(), {x, 2.0 * x * x, 0.25});
      normal.insert(normal.end(), {0.0, 0.0, 1.0});
      force.insert(force.end(), {0.0, 0.1 * x, 1.0 + i});
      body.insert(body.end(), {1, i % 7, -1, -1});
    }
  group.write("offset", std::span<const std::uint64_t>(offset));
  group.write("point", std::span<const double>(point), 3);
  group.write("normal", std::span<const double>(normal), 3);
  group.write("force", std::span<const double>(force), 3);
  group.write("gap", std::span<const double>(gap));
  group.write("status", std::span<const std::int32_t>(status));
  group.write("body", std::span<const std::int32_t>(body), 4);
  file.close();
}

/// A box for every member of body 1 and a plane of the world, as /drawing has it.
inline void put_drawing(const std::string& path, int members) {
  h5::File file = h5::File::modify(path);
  remove_if_there(file, "drawing");
  const h5::Group drawing = file.create_group("drawing"), shapes = drawing.create_group("shapes"),
                  table = drawing.create_group("instances");
  const h5::Group plane = shapes.create_group("0"), mesh = shapes.create_group("1");
  plane.set("index", std::int64_t{0});
  plane.set("kind", "plane");
  mesh.set("index", std::int64_t{1});
  mesh.set("kind", "mesh");
  const std::vector<double> points{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<std::int32_t> triangles{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, edges{0, 1, 0, 2};
  mesh.write("points", std::span<const double>(points), 3);
  mesh.write("triangles", std::span<const std::int32_t>(triangles), 3);
  mesh.write("edges", std::span<const std::int32_t>(edges), 2);
  std::vector<std::int32_t> shape{0}, body{-1, -1};
  std::vector<double> place{0, 0, 0}, rotation{1, 0, 0, 0}, scale{1, 1, 1};
  for (int m = 0; m < members; ++m) {
    shape.push_back(1);
    body.insert(body.end(), {1, m});
    place.insert(place.end(), {0.5, 0, 0});
    rotation.insert(rotation.end(), {0.0, 0.0, 0.0, 1.0});
    scale.insert(scale.end(), {0.1, 0.2, 0.3});
  }
  table.write("shape", std::span<const std::int32_t>(shape));
  table.write("body", std::span<const std::int32_t>(body), 2);
  table.write("place", std::span<const double>(place), 3);
  table.write("rotation", std::span<const double>(rotation), 4);
  table.write("scale", std::span<const double>(scale), 3);
  file.close();
}

}  // namespace view_test
