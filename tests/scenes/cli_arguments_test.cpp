// The words behind `saltus`: verbs, options, names of files.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/version.h"

using namespace saltus_test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("wrong words on the command line end with exit code 2, one line and the nearest name") {
  struct Words {
    std::vector<std::string> words;
    std::string says;
  };
  const Folder folder;
  const Words table[] = {
      {{"rum", "scene.yaml"}, "did you mean `run`"},
      {{"scene.yaml"}, "did you mean `saltus run scene.yaml`"},
      {{"--verbose"}, "--help"},
      {{"run"}, "scene is required"},
      {{"run", "scene.yaml", "--resme"}, "did you mean `--resume`"},
      {{"run", "scene.yaml", "--outptu=x.h5"}, "did you mean `--output`"},
      {{"run", "scene.yaml", "other.yaml"}, "'other.yaml'"},
      {{"run", "scene.yaml", "-o"}, "output"},
      {{"run", "nope.yaml"}, "nope.yaml"},
      {{"run", "."}, "."},
      {{"run", "scene.yaml", "--until", "5 kg"}, "--until"},
      {{"run", "scene.yaml", "--until=-1"}, "> 0"},
      {{"run", "scene.yaml", "--set", "time.end"}, "time.end"},
      {{"run", "scene.yaml", "--set", "tme.end=1"}, "did you mean `time`"},
      {{"run", "scene.yaml", "-o", "scene.yaml"}, "is the scene itself"},
      {{"run", "scene.yaml", "-o", "sound.wav"}, "sound.wav"},
      {{"run", "scene.yaml", "-o", "nowhere/out.h5"}, "create the folder first"},
      {{"run", "scene.yaml", "-o", "scene.yaml/out.h5"}, "choose"},
      {{"run", "scene.yaml", "--resume"}, "nothing to resume"},
      {{"describe", "scheme"}, "did you mean `schemes`"},
      {{"describe", "laws", "--json", "--markdown"}, "--markdown"},
      {{"info", "scene.yaml"}, "scene.yaml"},
      {{"info", "nope.h5"}, "nope.h5"},
      {{"convert", "nope.h5", "--to", "wav"}, "nope.h5"},
      {{"convert", "nope.h5", "--to", "mp3"}, "wav, csv, vtu"},
      {{"convert", "nope.h5", "--to", "vtu", "--probe", "pickup"},
       "--probe: applies to --to wav only"},
      {{"convert", "nope.h5", "--to", "vtu", "--nodes", "3"}, "--nodes: applies to --to csv only"},
      {{"new", "scene"}, "already exists"},
      {{"new", "nowhere/x"}, "create the folder first"},
      {{"new", ""}, "is not a valid name for a scene"},
      {{"new", ".yaml"}, "is not a valid name for a scene"},
      {{"new", "."}, ".: is a folder"},
      {{"new", folder.path()}, folder.path() + ": is a folder"},
      {{"run", "scene.yaml", "-o", ""}, "--output: must not be empty"},
      {{"run", "scene.yaml", "--until", ""}, "--until: must not be empty"},
      {{"convert", "nope.h5", "--to", "csv", "-o", ""}, "--output: must not be empty"},
      {{"convert", "nope.h5", "--to", "fclib", "--step", "0"},
       "saltus: convert: --step: 0 is not > 0; allowed: numbers > 0;"},
      {{"solve", "nope.hdf5", "--tolerance", "0"},
       "saltus: solve: --tolerance: 0 is not > 0; allowed: numbers > 0;"},
      {{"import", "nope.urdf", "--friction=-1"},
       "saltus: import: --friction: -1 is not >= 0; allowed: numbers >= 0;"},
      {{"sweep", "scene.yaml", "--set", "time.end=1,2", "--seed=-1"},
       "saltus: sweep: --seed: -1 is not >= 0; allowed: numbers >= 0;"},
  };
  folder.write("scene.yaml", small_scene());
  for (const Words& row : table) {
    const Outcome outcome = saltus_command(folder, row.words);
    CAPTURE(row.words.front());
    CAPTURE(row.words.back());
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty() == (row.words.back() != "--markdown"));  // that row asks for JSON
    CHECK(outcome.error_lines() == 1);
    CHECK(outcome.err.starts_with("saltus: "));
    CHECK(holds(outcome.err, row.says));
    CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
  }
  CHECK(folder.read("scene.yaml") == small_scene());
}

TEST_CASE("saltus alone prints a short help, --version the version") {
  const Folder folder;
  const Outcome help = saltus_command(folder, {});
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const char* verb : {"run", "check", "describe", "info", "convert", "new", "schema"}) {
    CHECK(holds(help.out, std::string("saltus ") + verb));
    const Outcome own = saltus_command(folder, {verb, "--help"});
    CHECK(own.code == 0);
    CHECK(own.err.empty());
    CHECK(holds(own.out, std::string("Usage: saltus ") + verb + " "));
  }
  const Outcome version = saltus_command(folder, {"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.starts_with("saltus " SALTUS_VERSION " "));
}

TEST_CASE("with --json a failure is an object on stdout too") {
  const Folder folder;
  const Outcome outcome = saltus_command(folder, {"check", "nope.yaml", "--json"});
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["exit_code"] == 2);
  CHECK("saltus: " + json["error"].get<std::string>() + "\n" == outcome.err);
}

TEST_CASE("describe knows every registry, as text, Markdown and JSON") {
  const Folder folder;
  const std::pair<const char*, const char*> topics[] = {
      {"schemes", "moreau-jean"},      {"bodies", "string"},
      {"solvers", "gauss-seidel"},     {"laws", "newton-impact"},
      {"options", "checkpoint_every"}, {"scene", "checkpoint_every"}};
  for (const auto& [topic, word] : topics) {
    CAPTURE(topic);
    for (const char* form : {"--json", "--markdown", ""}) {
      CAPTURE(form);
      std::vector<std::string> words{"describe", topic};
      if (*form) words.emplace_back(form);
      const Outcome outcome = saltus_command(folder, words);
      CHECK(outcome.code == 0);
      CHECK(outcome.err.empty());
      CHECK(holds(outcome.out, word));
      CHECK(nlohmann::json::accept(outcome.out) == (std::string(form) == "--json"));
    }
  }
}

TEST_CASE("describe says which schemes move which kinds") {
  const Folder folder;
  const auto facts = [&](const char* topic) {
    std::map<std::string, nlohmann::json> by_name;
    const auto json =
        nlohmann::json::parse(saltus_command(folder, {"describe", topic, "--json"}).out);
    for (const auto& entry : json["entries"]) by_name[entry["name"]] = entry;
    return by_name;
  };
  auto schemes = facts("schemes");
  CHECK(schemes.size() == 19);
  CHECK(schemes["modal-exact"]["kinds"] == "modal");
  CHECK(schemes["moreau-jean"]["kinds"] ==
        "modal, linear, lagrangian, particles, rigid, pseudo-rigid, fem, beam");
  auto kinds = facts("bodies");
  CHECK(kinds.size() == 8);
  CHECK(holds(kinds["rigid"]["schemes"], "rig-mid"));
  CHECK(kinds["modal"]["schemes"].get<std::string>().starts_with("modal-exact, moreau-jean, "));
  CHECK(holds(kinds["linear"]["schemes"],
              "with a stiffness that is not symmetric not discrete-gradient"));
  CHECK(holds(kinds["lagrangian"]["schemes"], "with constant mass also variational-symplectic"));
  CHECK(!holds(kinds["particles"]["schemes"], "modal-exact"));
}

TEST_CASE("schema prints a JSON Schema") {
  const Folder folder;
  const Outcome outcome = saltus_command(folder, {"schema"});
  CHECK(outcome.code == 0);
  const auto schema = nlohmann::json::parse(outcome.out);
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["properties"].contains("bodies"));
}
