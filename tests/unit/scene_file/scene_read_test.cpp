#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"
#include "scene_samples.h"

using namespace saltus;
using saltus_test::kBass;
using saltus_test::kEverything;
using saltus_test::kMechanics;

TEST_CASE("a scene is read with its units and defaults") {
  const SceneSpec spec = read_scene_text(kBass, "bass.yaml").spec;
  CHECK(spec.title == "Bass string on twenty frets");
  CHECK(spec.time.end == 0.5);
  CHECK(spec.time.rate == 44100.0);
  CHECK(spec.time.h() == 1.0 / 44100.0);
  CHECK(step_count(spec.time) == 22050);
  CHECK(!spec.on_failure);
  CHECK(spec.solver.kind == "auto");
  REQUIRE(spec.bodies.size() == 1);
  const BodySpec& body = spec.bodies[0];
  REQUIRE(body.string.has_value());
  CHECK(body.string->tension == 191.6);
  CHECK(body.string->linear_density == 0.0067);
  CHECK(body.string->modes == 862);
  CHECK(body.pluck->height == 0.0036);
  CHECK(std::holds_alternative<ModalExactOptions>(*body.scheme));
  const auto& damping = std::get<AirViscoelasticDamping>(*body.string->damping);
  CHECK(damping.diameter == 0.00114);
  CHECK(damping.loss_frequency == AirViscoelasticDamping::LossFrequency::ideal);
  CHECK(damping.air_density == 1.2);
  REQUIRE(spec.contacts.size() == 1);
  const auto& frets = std::get<FretRule>(*spec.contacts[0].against->frets);
  CHECK(frets.count == 20);
  CHECK(frets.height == std::vector<double>{-0.203e-3, -7.994e-3, 7.434e-3});
  CHECK(std::holds_alternative<SignoriniPosition>(spec.contacts[0].law));
  CHECK(spec.contacts[0].name == "string on frets");
  CHECK(spec.outputs[0].name == "string at 0.82 m");
  CHECK(spec.outputs[0].wav == "pickup.wav");
}

TEST_CASE("every kind of entry is read") {
  const SceneSpec spec = read_scene_text(kEverything, "all.yaml").spec;
  CHECK(spec.contact.instant == ContactInstant::start);
  CHECK(spec.on_failure == OnFailure::halve);
  CHECK(spec.solver.iterations == 77);
  CHECK(step_count(spec.time) == 3000);
  REQUIRE(spec.bodies.size() == 6);
  CHECK(spec.bodies[0].initial->velocity_column == 5);
  CHECK(std::get<ModalExactOptions>(*spec.bodies[0].scheme).start == ModalExactOptions::Start::raw);
  const auto& scheme = std::get<MoreauJeanOptions>(*spec.bodies[1].scheme);
  CHECK(scheme.theta == 1.0);
  CHECK(scheme.gamma == 0.25);
  CHECK(scheme.forecasts());
  CHECK(spec.bodies[1].origin == std::array<double, 3>{0.001, 0.002, 0.003});
  CHECK(std::get<ConstantDamping>(*spec.bodies[1].string->damping).constant == 3.0);
  CHECK(spec.bodies[2].bar->ends == BarSpec::Ends::fixed_fixed);
  CHECK(spec.bodies[2].bar->second_moment == 83e-12);
  CHECK(std::get<TableDamping>(*spec.bodies[2].bar->damping).table == "losses.csv");
  CHECK(spec.bodies[4].modes->mass == std::vector<double>{0.5, 0.02});
  CHECK(std::get<PointList>(*spec.contacts[0].against->frets)[1] == std::array{0.2, -0.002});
  CHECK(spec.contacts[1].against->neck->beyond == -0.01);
  const auto& impact = std::get<NewtonImpact>(spec.contacts[4].law);
  CHECK(impact.activation.forecast == 0.5);
  CHECK(impact.activation.closing_only);
  CHECK(std::get<NewtonImpact>(spec.contacts[5].law) == NewtonImpact{});
  CHECK(spec.outputs[0].modes == OutputSpec::Modes::all);
  CHECK(!spec.results.every_step);
}

TEST_CASE("every entry of the other kinds is read") {
  const SceneSpec spec = read_scene_text(kMechanics, "all.yaml").spec;
  REQUIRE(spec.bodies.size() == 15);
  CHECK(spec.bodies[0].oscillator->stiffness == 2000.0);
  CHECK(spec.bodies[1].chain->ends == ChainEnds::fixed_fixed);
  CHECK(spec.bodies[1].rayleigh->stiffness == 1e-6);
  CHECK(spec.bodies[1].initial->velocity == -0.001);
  CHECK(spec.bodies[2].mesh->lumped);
  CHECK(spec.bodies[2].loads[0].table[1] == std::array{1.0, 2.0});
  CHECK(spec.bodies[2].loads[1].pattern == std::vector<double>{1, 2, 3});
  const MatricesSpec& matrices = *spec.bodies[3].matrices;
  CHECK(matrices.mass == MatrixSpec(std::vector<std::vector<double>>{{2, 1}, {1, 2}}));
  CHECK(matrices.stiffness == MatrixSpec(std::vector<double>{1, 2}));
  CHECK(spec.bodies[4].matrices->load == VectorSpec(std::string("f.csv")));
  CHECK(spec.bodies[3].prescribed[0].harmonic->amplitude == 0.001);
  CHECK(spec.bodies[3].prescribed[0].harmonic->phase == doctest::Approx(0.5235987755982988));
  CHECK(std::get<NewmarkOptions>(*spec.bodies[3].scheme).beta == 0.3025);
  CHECK(spec.bodies[5].tangents == Tangents::differences);
  CHECK(spec.bodies[5].pendulum->gravity == 1.62);
  CHECK(spec.bodies[6].n_pendulum->mass.size() == 3);
  CHECK(spec.bodies[10].planar_rod->inertia == 0.2);
  CHECK(spec.bodies[12].stvk_bar->young == 1000.0);
  const ParticlesSpec& particles = *spec.bodies[13].particles;
  CHECK(particles.springs[0].between == std::vector<int>{0, 1});
  CHECK(particles.springs[0].tension_only);
  CHECK(!particles.springs[0].length);
  CHECK(particles.springs[1].length == 0.5);
  CHECK(particles.gravity == std::array{0.0, 0.0, -9.81});
  CHECK(spec.bodies[14].particles->file == "balls.csv");
  const auto& list = std::get<std::vector<NumberOrName>>(*spec.contacts[0].at);
  CHECK(list == std::vector<NumberOrName>{0.0, 1.0});
  CHECK(std::get<NumberOrName>(*spec.contacts[2].at).name == "bob_2");
  CHECK(spec.contacts[1].against->body == "b");
  CHECK(spec.contacts[3].against->stop->side == StopSpec::Side::below);
  CHECK(std::get<NumberOrName>(*spec.outputs[2].at).name == "bob_1");
  CHECK(spec.outputs[2].name == "n at bob_1");
}

TEST_CASE("names left out are made and stay unique") {
  const SceneSpec spec = read_scene_text(kEverything, "all.yaml").spec;
  CHECK(spec.contacts[2].name == "tabled on plane");
  CHECK(spec.contacts[3].name == "tabled on plane 2");
  CHECK(spec.contacts[4].name == "bridge");
  CHECK(spec.outputs[0].name == "stiff at 0.5 m");
  CHECK(spec.outputs[1].name == "stiff at 0.5 m 2");
}

TEST_CASE("the resolved scene reads back to an equal spec") {
  for (const std::string* text : {&kBass, &kEverything, &kMechanics}) {
    const SceneSpec spec = read_scene_text(*text, "scene.yaml").spec;
    for (int indent : {0, 2}) {
      const std::string resolved = write_scene(spec, indent);
      const SceneSpec again = read_scene_text(resolved, "resolved.json").spec;
      CHECK(again == spec);
      CHECK(write_scene(again, indent) == resolved);
    }
  }
}

TEST_CASE("the resolved scene leaves out what it does not give") {
  const std::string text = write_scene(read_scene_text(kEverything, "scene.yaml").spec, 0);
  CHECK(text.find(R"("modes": {"file": "modes.csv"})") != std::string::npos);
  CHECK(text.find("null") == std::string::npos);
  CHECK(text.find(R"("time": {"end": 0.03, "step": 1e-05, "scheme": "bodies"})") !=
        std::string::npos);
}

TEST_CASE("equality of specs notices a change anywhere") {
  const SceneSpec spec = read_scene_text(kBass, "scene.yaml").spec;
  SceneSpec other = spec;
  std::get<AirViscoelasticDamping>(*other.bodies[0].string->damping).loss_angle *= 1.0 + 1e-15;
  CHECK(!(other == spec));
}

TEST_CASE("the place of every entry is kept") {
  const Scene scene = read_scene_text(kBass, "bass.yaml");
  const auto expect = [&](const std::string& path, int line, int column) {
    CAPTURE(path);
    const Place* place = find_place(scene.places, path);
    REQUIRE(place != nullptr);
    CHECK(place->source == "bass.yaml");
    CHECK(place->line == line);
    CHECK(place->column == column);
  };
  expect("bodies[0].string.modes", 8, 21);
  expect("bodies[0].string", 7, 5);
  expect("bodies[0].string.table", 7, 5);  // not written: the entry that would hold it
  expect("bodies[0].pluck.height", 11, 33);
  expect("contacts[0].against.frets.height[2]", 14, 81);
  expect("contacts[0].law.kind", 15, 17);
  expect("results.frames", 1, 1);
}

TEST_CASE("a later error is placed by its path, an error in a data file keeps its place") {
  const Scene scene = read_scene_text(kBass, "bass.yaml");
  CHECK_THROWS_WITH_AS(rethrow_placed(SceneError("bodies[0].string.table", "too short"), scene),
                       "bass.yaml:7:5: bodies[0].string.table: too short", SceneError);
  CHECK_THROWS_WITH_AS(rethrow_placed(SceneError("", "too long", "shorter"), scene),
                       "bass.yaml:1:1: too long; shorter", SceneError);
  CHECK_THROWS_WITH_AS(rethrow_placed(SceneError("", "bad").at("t.csv", 3, 4), scene),
                       "t.csv:3:4: bad", SceneError);
  Scene bare;
  bare.file = "f";
  CHECK_THROWS_WITH_AS(rethrow_placed(SceneError("x", "bad"), bare), "f: x: bad", SceneError);
}

TEST_CASE("a scene file is read with its folder, byte order mark and line ends of Windows") {
  const auto folder = std::filesystem::temp_directory_path() / "saltus_scene_read_test";
  std::filesystem::create_directories(folder);
  std::string text;
  for (char c : kBass) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  std::ofstream(folder / "a.yaml", std::ios::binary) << "\xEF\xBB\xBF" << text;
  const Scene scene = read_scene(folder / "a.yaml");
  std::filesystem::remove_all(folder);
  CHECK(scene.spec == read_scene_text(kBass, "a").spec);
  CHECK(scene.folder == folder);
  CHECK(scene.resolve("m.csv") == folder / "m.csv");
  CHECK(scene.resolve("/m.csv") == "/m.csv");
  CHECK(find_place(scene.places, "saltus")->line == 1);
  CHECK(find_place(scene.places, "outputs[0].at")->line == 17);
}

TEST_CASE("a scene file that is missing or a folder is an error") {
  CHECK_THROWS_WITH_AS(read_scene("no_such.yaml"), "no_such.yaml: does not exist", SceneError);
  CHECK_THROWS_WITH_AS(read_scene("."), ".: is a folder, not a file", SceneError);
  CHECK_THROWS_WITH_AS(read_scene("/dev/null"), "/dev/null: is not a regular file", SceneError);
}
