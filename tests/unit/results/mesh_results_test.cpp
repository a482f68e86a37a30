// What results files hold of meshes and pseudo-rigid bodies, and what is made of it.
#include <doctest/doctest.h>

#include <cstring>

#include "saltus/bodies/beam.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/convert/convert.h"
#include "saltus/exchange/vtk_file.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/nodal_fit.h"
#include "saltus/fem/redistributed_mass.h"
#include "saltus/results/info.h"
#include "saltus/results/mesh_table.h"
#include "saltus/schemes/moreau_jean.h"
#include "unit/results/support.h"
#include "unit/view/base64.h"

using namespace saltus;
using io_test::bytes_of;
using io_test::exists;
using io_test::FakeRun;
using io_test::Folder;
using io_test::message;

namespace {

/// A block of 2 x 1 x 1 bricks held at x0; at x1 one degree of freedom moves with 0.1 m/s.
std::shared_ptr<const Fem> block() {
  FemSystem system;
  BoxMesh box;
  box.kind = ElementKind::hex8;
  box.cells = {2, 1, 1};
  box.size = Vector3(2.0, 1.0, 1.0);
  system.mesh = box_mesh(box);
  system.mesh.element_sets["left half"] = {0};
  FemMaterial material;
  material.material.law = MaterialLaw::linear;
  material.material.young = 1e6;
  material.material.poisson = 0.25;
  system.materials = {material};
  system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector<int>{0, 1, 2});
  Prescribed moving;
  moving.dof = 3 * system.mesh.node_sets.at("x1")[0] + 1;
  moving.signal = Signal::table({0.0, 1.0}, {0.0, 0.1});
  system.prescribed.push_back(moving);
  return std::make_shared<Fem>(std::move(system));
}

std::shared_ptr<const PseudoRigid> two_bodies() {
  PseudoRigidBody body;
  body.mass = 2.0;
  body.volume = 1.0;
  body.euler = Matrix3::Identity();
  body.material.law = MaterialLaw::neo_hooke;
  body.material.young = 1e5;
  PseudoRigidSystem system;
  system.bodies = {body, body};
  return std::make_shared<PseudoRigid>(std::move(system));
}

Model make_model() {
  ModelParts parts;
  parts.groups = {io_test::modes("string", 5),
                  {"block", "fem", block(), make_moreau_jean({})},
                  {"drops", "pseudo-rigid", two_bodies(), make_moreau_jean({}), {"a", "b"}}};
  for (const Group& group : parts.groups) {
    GroupState state;
    state.q = Vector::Constant(group.dynamics->positions(), 0.1);
    state.v = Vector::Zero(group.dynamics->velocities());
    parts.initial.push_back(state);
  }
  parts.initial[2].q.setZero();
  for (int b : {0, 1})
    for (int i : {0, 4, 8}) parts.initial[2].q[12 * b + i] = 1.0;
  parts.solver = std::make_shared<io_test::NoSolver>();
  parts.options.h = 1.0 / 8000.0;
  parts.options.end = 1.0;
  return Model(std::move(parts));
}

/// A run whose bodies are put where the test wants them.
struct Put {
  Model model = make_model();
  State state;
  std::vector<Vector> velocities;

  Put() {
    state.h = model.options().h;
    state.groups.assign(model.initial().begin(), model.initial().end());
    state.ledger.assign(model.accounts().size(), 0.0);
    state.solvers.resize(static_cast<std::size_t>(model.island_count()));
    at(0);
  }
  const Fem& fem() const { return dynamic_cast<const Fem&>(*model.groups()[1].dynamics); }
  const Mesh& mesh() const { return fem().mesh(); }

  /// u = k (0.001 x, -0.00025 y, -0.00025 z) and velocities 2 u, where free.
  void at(int k) {
    state.step = static_cast<std::uint64_t>(k);
    state.t = k * state.h;
    velocities.clear();
    for (const GroupState& group : state.groups) velocities.push_back(group.v);
    for (int dof = 0; dof < 3 * mesh().nodes.cols(); ++dof)
      if (const int i = fem().free_index(dof); i >= 0) {
        state.groups[1].q[i] = k * (dof % 3 == 0 ? 1e-3 : -2.5e-4) * mesh().nodes(dof % 3, dof / 3);
        velocities[1][i] = 2.0 * state.groups[1].q[i];
      }
    state.groups[2].q[0] = 1.0 + 0.01 * k;  // F_11 of the first body
    state.groups[2].q[12 + 9] = k;          // x of the second
  }

  void write(const std::string& path, int frames, FieldOptions fields) {
    ResultsOptions options;
    options.fields = fields;
    ResultsWriter out(path, model, io_test::kScene, io_test::resolved(), options);
    out.start(state, {});
    for (int k = 1; k <= frames; ++k) {
      at(k);
      out.record({}, state, {});
      out.frame(state, velocities);
    }
    out.finish(state, {});
  }
};

/// The numbers of a <DataArray> of a file written by write_vtu.
template <class T>
std::vector<T> array(const std::string& xml, const std::string& name) {
  const std::size_t at = xml.find("Name=\"" + name + "\"");
  REQUIRE(at != std::string::npos);
  const std::size_t first = xml.find(">\n", at) + 2;
  const std::string bytes = io_test::bytes_of_base64(std::string_view(xml).substr(first));
  std::uint64_t size = 0;
  REQUIRE(bytes.size() >= sizeof size);
  std::memcpy(&size, bytes.data(), sizeof size);
  REQUIRE(bytes.size() == sizeof size + size);
  std::vector<T> values(size / sizeof(T));
  std::memcpy(values.data(), bytes.data() + sizeof size, size);
  return values;
}

}  // namespace

TEST_CASE("a results file holds the mesh of a body: nodes, cells, sets") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 2, {});
  const ResultsReader results(folder / "a.h5");
  const Mesh mesh = results.mesh("block");
  CHECK(mesh.dimension == 3);
  CHECK(mesh.nodes == run.mesh().nodes);
  REQUIRE(mesh.blocks.size() == 1);
  CHECK(mesh.blocks[0].kind == ElementKind::hex8);
  CHECK(mesh.blocks[0].nodes == run.mesh().blocks[0].nodes);
  CHECK(mesh.node_sets == run.mesh().node_sets);
  CHECK(mesh.element_sets == run.mesh().element_sets);
  CHECK(mesh.face_sets == run.mesh().face_sets);
  CHECK_NOTHROW(check(mesh));
  CHECK(results.bodies()[1].nodes == 12);
  CHECK(results.bodies()[0].nodes == 0);
  CHECK(info_text(results).find("block: fem by moreau-jean, 23 coordinates, 12 nodes, 2 hex8") !=
        std::string::npos);
  CHECK(info_json(results).find("\"hex8\": 2") != std::string::npos);
  CHECK(!results.has("block", "stress"));
  CHECK(!results.has("string", "nodes"));
}

TEST_CASE("frames hold displacement and velocity of all nodes, prescribed ones with them") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 3, {});
  const ResultsReader results(folder / "a.h5");
  const auto u = results.body("block", "displacement", 2, 1),
             v = results.node_velocity("block", 2, 1);
  REQUIRE(u.size() == 36);
  REQUIRE(v.size() == 36);
  const int moved = 3 * run.mesh().node_sets.at("x1")[0] + 1;
  for (int dof = 0; dof < 36; ++dof) {
    const auto i = static_cast<std::size_t>(dof);
    if (const int q = run.fem().free_index(dof); q >= 0) {
      CHECK(u[i] == run.state.groups[1].q[q]);
      CHECK(v[i] == 2.0 * u[i]);
    } else if (dof == moved) {
      CHECK(u[i] == doctest::Approx(0.1 * 3 * run.state.h).epsilon(1e-15));
      CHECK(v[i] == 0.1);
    } else {
      CHECK(u[i] == 0.0);
      CHECK(v[i] == 0.0);
    }
  }
}

TEST_CASE("nodes without mass, which are no part of q, are stored with their place and velocity") {
  FemSystem system;
  BoxMesh box;
  box.kind = ElementKind::bar2;
  box.cells = {6, 1, 1};
  system.mesh = box_mesh(box);
  system.materials.resize(1);
  system.materials[0].material.law = MaterialLaw::linear;
  NodeStop stop;
  stop.place = Vector3(-0.5, 0.0, 0.0);
  stop.normal = Vector3::UnitX();
  const auto bar = std::make_shared<RedistributedMass>(system, std::vector<NodeStop>{stop});
  REQUIRE(bar->positions() == 6);
  const auto fields = body_fields(bar, {.stress = true, .strain = false, .resultants = false});
  REQUIRE(fields != nullptr);
  Vector q(6), v(6), all(21), before(21);
  for (int i = 0; i < 6; ++i) {
    q[i] = 0.01 * std::sin(1.0 + i);
    v[i] = std::cos(2.0 * i);
  }
  std::vector<std::vector<double>> rows(fields->columns().size());
  fields->sample(0.0, q, v, rows);
  bar->full(0.0, q, all);
  CHECK(rows[0] == std::vector<double>(all.begin(), all.end()));
  REQUIRE(fields->columns()[1].name == "other_velocity");
  REQUIRE(rows[1].size() == 1);
  // u of the node is linear in q while the stop is open
  bar->full(0.0, q + 1e-3 * v, all);
  bar->full(0.0, q - 1e-3 * v, before);
  CHECK(rows[1][0] == doctest::Approx((all[0] - before[0]) / 2e-3).epsilon(1e-12));
  // the element beside it carries no force
  CHECK(fields->columns()[2].name == "stress");
  CHECK(std::abs(rows[2][0]) < 1e-14);
  CHECK(std::abs(rows[2][6 * 3]) > 1e-4);
}

TEST_CASE("a beam is stored as the line of its nodes") {
  BeamSystem system;
  system.length = 2.0;
  system.elements = 4;
  system.origin = Vector3(0.0, 0.0, 1.0);
  system.axis = Vector3::UnitY();
  system.across = Vector3::UnitZ();
  system.held = clamped_node(0);
  const auto beam = std::make_shared<ElasticBeam>(system);
  const auto fields = body_fields(beam, {});
  REQUIRE(fields != nullptr);
  Vector q = Vector::Zero(beam->positions()), v = q;
  q[beam->free_index(6 * 4 + 1)] = 0.1;  // the tip, along `across`
  v[beam->free_index(6 * 4 + 0)] = 3.0;  // along the axis
  std::vector<std::vector<double>> rows(2);
  fields->sample(0.0, q, v, rows);
  REQUIRE(rows[0].size() == 15);
  for (std::size_t i = 0; i < 15; ++i) {
    CHECK(rows[0][i] == doctest::Approx(i == 14 ? 0.1 : 0.0).epsilon(1e-15));
    CHECK(rows[1][i] == doctest::Approx(i == 13 ? 3.0 : 0.0).epsilon(1e-15));
  }
  const Folder folder;
  h5::File file = h5::File::create(folder / "a.h5");
  fields->describe(file.create_group("beam"));
  const Mesh mesh = read_mesh(file.group("beam"));
  CHECK(mesh.elements() == 4);
  CHECK(mesh.nodes.col(0) == system.origin);
  CHECK((mesh.nodes.col(4) - Vector3(0.0, 2.0, 1.0)).norm() < 1e-15);
  CHECK_NOTHROW(check(mesh));
}

TEST_CASE("stress and resultants are stored where they are asked for, and are those of the body") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 4, {.stress = true, .strain = true, .resultants = true});
  const ResultsReader results(folder / "a.h5");
  const auto stress = results.body("block", "stress", 3, 1),
             mises = results.body("block", "von_mises", 3, 1);
  Matrix expected(6, 12);
  run.fem().nodal_stress(run.state.t, run.state.groups[1].q, expected);
  REQUIRE(stress.size() == 72);
  for (int i = 0; i < 72; ++i) CHECK(stress[static_cast<std::size_t>(i)] == expected.data()[i]);
  Vector u(36);
  run.fem().full(run.state.t, run.state.groups[1].q, u);
  Matrix green(6, 12);
  nodal_strain(run.mesh(), u, green);
  CHECK(results.body("block", "strain", 3, 1) ==
        std::vector<double>(green.data(), green.data() + 72));
  CHECK(green(0, run.mesh().node_sets.at("x1")[0]) > 1e-3);
  for (int a = 0; a < 12; ++a) {
    const Vector s = expected.col(a);
    const double squared =
        0.5 * (std::pow(s[0] - s[1], 2) + std::pow(s[1] - s[2], 2) + std::pow(s[2] - s[0], 2)) +
        3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
    CHECK(mises[static_cast<std::size_t>(a)] == doctest::Approx(std::sqrt(squared)).epsilon(1e-13));
  }
  // pulled along x: the elements draw the held end forwards, and what they do to both ends cancels
  const auto held = results.body("block", "resultants/x0", 3, 1),
             top = results.body("block", "resultants/z1", 3, 1);
  REQUIRE(held.size() == 6);
  REQUIRE(top.size() == 6);
  CHECK(held[0] > 0.0);
  const std::vector<int> all{0, 1};
  const Resultant whole =
      run.fem().resultant(run.state.t, run.state.groups[1].q, all, run.mesh().node_sets.at("x0"),
                          Vector3(0.0, 0.5, 0.5));
  for (int k = 0; k < 3; ++k) {
    CHECK(held[static_cast<std::size_t>(k)] ==
          doctest::Approx(whole.force[k]).epsilon(1e-12).scale(1.0));
    CHECK(held[static_cast<std::size_t>(3 + k)] ==
          doctest::Approx(whole.moment[k]).epsilon(1e-12).scale(1.0));
  }
}

TEST_CASE("pseudo-rigid bodies are stored with deformation, place and stress") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 5, {});
  const ResultsReader results(folder / "a.h5");
  const auto F = results.body("drops", "deformation", 4, 1),
             x = results.body("drops", "centre", 4, 1), s = results.body("drops", "stress", 4, 1),
             m = results.body("drops", "von_mises", 4, 1);
  CHECK(F == std::vector<double>{1.05, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(x == std::vector<double>{0, 0, 0, 5, 0, 0});
  const auto& bodies = dynamic_cast<const PseudoRigid&>(*run.model.groups()[2].dynamics);
  const Matrix3 expected = bodies.stress(run.state.groups[2].q, 0);
  CHECK(s[0] == expected(0, 0));
  CHECK(s[1] == expected(1, 1));
  CHECK(s[0] > s[1]);
  CHECK(std::vector<double>(s.begin() + 6, s.end()) == std::vector<double>(6, 0.0));
  CHECK(m[0] == doctest::Approx(s[0] - s[1]).epsilon(1e-13));
  CHECK(m[1] == 0.0);
}

TEST_CASE("a run that is taken up again goes on with the fields of meshes") {
  const Folder folder;
  Put run;
  ResultsOptions options;
  options.fields = {.stress = true, .strain = true, .resultants = false};
  {
    ResultsWriter out(folder / "a.h5", run.model, io_test::kScene, io_test::resolved(), options);
    out.start(run.state, {});
    for (int k = 1; k <= 4; ++k) {
      run.at(k);
      out.record({}, run.state, {});
      out.frame(run.state, run.velocities);
      if (k == 2) out.checkpoint(run.state);
    }
    out.drain();
  }
  {
    ResultsWriter out = ResultsWriter::resume(folder / "a.h5.part", run.model, io_test::kScene,
                                              io_test::resolved(), options);
    for (int k = 3; k <= 5; ++k) {
      run.at(k);
      out.record({}, run.state, {});
      out.frame(run.state, run.velocities);
    }
    out.finish(run.state, {});
  }
  Put once;
  once.write(folder / "b.h5", 5, options.fields);
  const ResultsReader a(folder / "a.h5"), b(folder / "b.h5");
  for (const char* table : {"displacement", "other_velocity", "stress", "von_mises", "strain"})
    CHECK(a.body("block", table, 0, 5) == b.body("block", table, 0, 5));
}

TEST_CASE("convert_vtu writes a mesh for each frame, and a list of them with their times") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 12, {.stress = true, .strain = true});
  const ResultsReader results(folder / "a.h5");
  const auto files = convert_vtu(results, folder / "a");
  REQUIRE(files.size() == 13);
  CHECK(files[3] == folder / "a.block.03.vtu");
  CHECK(files.back() == folder / "a.pvd");
  const std::string list = bytes_of(files.back()), xml = bytes_of(files[3]);
  CHECK(list.find("<DataSet timestep=\"0.0005\" part=\"0\" file=\"a.block.03.vtu\"/>") !=
        std::string::npos);
  CHECK(xml.find("NumberOfPoints=\"12\" NumberOfCells=\"2\"") != std::string::npos);
  const auto u = results.body("block", "displacement", 3, 1);
  CHECK(array<double>(xml, "displacement") == u);
  CHECK(array<double>(xml, "velocity") == results.node_velocity("block", 3, 1));
  CHECK(array<double>(xml, "stress") == results.body("block", "stress", 3, 1));
  CHECK(array<double>(xml, "von Mises") == results.body("block", "von_mises", 3, 1));
  CHECK(array<double>(xml, "strain") == results.body("block", "strain", 3, 1));
  const auto places = array<double>(xml, "places");
  for (std::size_t i = 0; i < 36; ++i) CHECK(places[i] == run.mesh().nodes.data()[i] + u[i]);
  CHECK(array<std::int64_t>(xml, "offsets") == std::vector<std::int64_t>{8, 16});
  CHECK(array<std::uint8_t>(xml, "types") == std::vector<std::uint8_t>{12, 12});
  const auto cells = array<std::int64_t>(xml, "connectivity");
  for (std::size_t i = 0; i < 16; ++i) CHECK(cells[i] == run.mesh().blocks[0].nodes[i]);
}

TEST_CASE(
    "nodes of every kind are written in the order of VTK: middle nodes lie between its corners") {
  // edges of VTK's cells, by the corners that each middle node in turn lies between
  const std::vector<std::array<int, 2>> tet{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
      hex{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
          {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
      loop{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, ring{{0, 1}, {1, 2}, {2, 0}}, line{{0, 1}};
  for (const auto& [kind, edges] :
       {std::pair(ElementKind::tet10, tet), std::pair(ElementKind::hex20, hex),
        std::pair(ElementKind::quad8, loop), std::pair(ElementKind::tri6, ring),
        std::pair(ElementKind::bar3, line)}) {
    CAPTURE(info(kind).name);
    const auto order = vtk_order(kind);
    const auto xi = natural_nodes(kind);
    REQUIRE(std::ssize(order) == info(kind).nodes);
    const auto at = [&](std::size_t i) { return xi[static_cast<std::size_t>(order[i])]; };
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Vector3 middle = 0.5 * (at(static_cast<std::size_t>(edges[i][0])) +
                                    at(static_cast<std::size_t>(edges[i][1])));
      CHECK(at(static_cast<std::size_t>(info(kind).corners) + i) == middle);
    }
  }
}

TEST_CASE("histories of nodes by number and by set") {
  const Folder folder;
  Put run;
  run.write(folder / "a.h5", 3, {.stress = true, .strain = false});
  const ResultsReader results(folder / "a.h5");
  const auto files = convert_nodes(results, folder / "a", "2,11");
  REQUIRE(files == std::vector<std::string>{folder / "a.block.nodes.csv"});
  const std::string text = bytes_of(files[0]);
  CHECK(text.find("time [s],2 ux [m],2 uy [m],2 uz [m],2 vx [m/s],") == 0);
  CHECK(text.find(",11 von Mises [Pa]\n") != std::string::npos);
  const std::size_t row = text.find('\n') + 1;
  double t = 0.0, ux = 0.0;
  REQUIRE(std::sscanf(text.c_str() + row, "%lf,%lf", &t, &ux) == 2);
  CHECK(t == run.state.h);
  CHECK(ux == results.body("block", "displacement", 0, 1)[6]);
  convert_nodes(results, folder / "b", "x1");
  const std::string set = bytes_of(folder / "b.block.nodes.csv");
  CHECK(std::count(set.begin(), set.begin() + static_cast<long>(set.find('\n')), ',') == 4 * 13);
  CHECK(message<SceneError>([&] { convert_nodes(results, folder / "c", "12"); }) ==
        "--nodes: no body contains the nodes '12'; numbers from 0, separated by commas, or the "
        "name of a node set");
  const auto tables = convert_csv(results, folder / "d");
  CHECK(std::ranges::find(tables, folder / "d.block.csv") == tables.end());
  CHECK(exists(folder / "d.drops.csv"));
}

TEST_CASE("a file without meshes has none to convert") {
  const Folder folder;
  const Model model = io_test::make_model();
  ResultsWriter out(folder / "a.h5", model, io_test::kScene, io_test::resolved());
  FakeRun run(model);
  out.start(run.state, run.probes);
  out.finish(run.state, {});
  const ResultsReader results(folder / "a.h5");
  CHECK(message<SceneError>([&] {
          convert_vtu(results, folder / "a");
        }).find("a.h5: contains no body with a mesh") != std::string::npos);
}

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string(3, '\xff')) == "////");
}
