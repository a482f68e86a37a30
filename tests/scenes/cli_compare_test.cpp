// `saltus compare` and `saltus info --cite`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "command.h"

using namespace saltus_test;

namespace {

bool says(const Outcome& outcome, const std::string& part) {
  return outcome.out.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("compare finds two runs of one scene equal, bit for bit") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "b.h5", "-q"}).code == 0);
  const Outcome same = saltus_command(folder, {"compare", "a.h5", "b.h5"});
  CHECK(same.code == 0);
  CHECK(says(same, "none differs"));
  const Outcome json = saltus_command(folder, {"compare", "a.h5", "b.h5", "--json"});
  CHECK(json.code == 0);
  const auto told = nlohmann::json::parse(json.out);
  CHECK(told["differs"] == false);
  CHECK(told["tables"].size() > 20);
}

TEST_CASE("compare tells where two runs differ and ends with 3; a tolerance forgives it") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  folder.write("other.yaml", replaced(small_scene(), "tension: 70 N", "tension: 70.000001 N"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  REQUIRE(saltus_command(folder, {"run", "other.yaml", "-o", "b.h5", "-q"}).code == 0);
  const Outcome different = saltus_command(folder, {"compare", "a.h5", "b.h5"});
  CHECK(different.code == 3);
  CHECK(says(different, "the scenes differ"));
  CHECK(says(different, "step/kinetic"));
  CHECK(saltus_command(folder, {"compare", "a.h5", "b.h5", "--tolerance", "1e9"}).code == 0);
  const auto told =
      nlohmann::json::parse(saltus_command(folder, {"compare", "a.h5", "b.h5", "--json"}).out);
  bool found = false;
  for (const auto& table : told["tables"]) {
    if (table["table"] != "step/kinetic") continue;
    found = true;
    CHECK(table["differs"] == true);
    CHECK(table["relative"].get<double>() > 0.0);
  }
  CHECK(found);
}

TEST_CASE("compare names a run that is shorter") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  REQUIRE(
      saltus_command(folder, {"run", "scene.yaml", "-o", "b.h5", "-q", "--until", "10 ms"}).code ==
      0);
  const Outcome shorter = saltus_command(folder, {"compare", "a.h5", "b.h5", "--tolerance", "1"});
  CHECK(shorter.code == 3);
  CHECK(says(shorter, " rows"));
}

TEST_CASE("compare refuses what is no results file, and tolerances below zero") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  folder.write("text.h5", "no HDF5 at all");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", "a.h5", "text.h5"},
        {"compare", "a.h5", "nothing.h5"},
        {"compare", "a.h5", "a.h5", "--tolerance=-1"},
        {"compare", "a.h5"}}) {
    const Outcome outcome = saltus_command(folder, words);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
  }
}

TEST_CASE("info --cite gives Saltus and the works behind scheme, law and solver of a run") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  const Outcome cite = saltus_command(folder, {"info", "a.h5", "--cite"});
  CHECK(cite.code == 0);
  CHECK(cite.out.starts_with("@software{Saltus,"));
  for (const char* key : {"{Bilbao2009,", "{Issanchou2017,", "{AcaryBrogliato2008,"})
    CHECK_MESSAGE(says(cite, key), key);
  CHECK(!says(cite, "{Newmark1959,"));
  const auto json =
      nlohmann::json::parse(saltus_command(folder, {"info", "a.h5", "--cite", "--json"}).out);
  CHECK(json["keys"][0] == "Bilbao2009");
  CHECK(json["bibtex"].get<std::string>() == cite.out);
}
