// The hash of the last state: the same for the same run, however it was made.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "command.h"

using namespace saltus_test;

namespace {

std::string hash_of(const Outcome& run) {
  REQUIRE(run.code == 0);
  return nlohmann::json::parse(run.out).at("state_hash").get<std::string>();
}

}  // namespace

TEST_CASE(
    "command_state hash outlives interruption and other outputs, and tells other runs apart") {
  const Folder folder;
  folder.write("whole.yaml", small_scene());
  folder.write("silent.yaml",
               replaced(small_scene(),
                        "  - {probe: string, name: pickup, at: 0.5 m, wav: "
                        "sound.wav}\n",
                        "  - {probe: string, name: other, at: 0.3 m, csv: x.csv}\n"));
  folder.write("softer.yaml",
               replaced(small_scene(), "height: 3 mm", "height: 3.0000000000001 mm"));
  const std::string whole = hash_of(saltus_command(folder, {"run", "whole.yaml", "--json"}));
  CHECK(whole.size() == 16);
  CHECK(hash_of(saltus_command(folder, {"run", "silent.yaml", "--json"})) == whole);
  CHECK(hash_of(saltus_command(folder, {"run", "softer.yaml", "--json"})) != whole);

  const std::vector<std::string> part{"run", "whole.yaml", "-o", "part.h5", "--json"};
  auto first = part, rest = part;
  first.insert(first.end(), {"--until", "21 ms"});
  rest.emplace_back("--resume");
  CHECK(hash_of(saltus_command(folder, first)) != whole);
  CHECK(hash_of(saltus_command(folder, rest)) == whole);
}

TEST_CASE(
    "a wall in contact ends in the same bits on 1, 2 and 3 threads, as many as were asked for") {
  const Folder folder;
  std::string one;
  for (const char* threads : {"1", "2", "3"}) {
    CAPTURE(threads);
    const std::string hash =
        hash_of(saltus_command(folder, {"run", SALTUS_EXAMPLES "/wall.yaml", "--until", "5 ms",
                                        "--threads", threads, "-o", "wall.h5", "--json"}));
    if (one.empty()) one = hash;
    CHECK(hash == one);
    const Outcome info = saltus_command(folder, {"info", "wall.h5", "--json"});
    CHECK(nlohmann::json::parse(info.out).at("provenance").at("threads") == threads);
  }
  const Outcome none =
      saltus_command(folder, {"run", SALTUS_EXAMPLES "/wall.yaml", "--threads", "0"});
  CHECK(none.code == 2);
  CHECK(holds(none.err, "--threads"));
  CHECK(none.error_lines() == 1);
}
