// The reference pages are what the program says of itself.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "command.h"

using namespace saltus_test;

TEST_CASE("the reference page of scenes is what the program says of them") {
  const Folder folder;
  const Outcome told = saltus_command(folder, {"describe", "scene", "--markdown"});
  REQUIRE(told.code == 0);
  REQUIRE(told.out.size() > 1000);
  const auto page =
      std::filesystem::path(SALTUS_TEST_DATA).parent_path() / "docs/reference/scene.md";
  std::ifstream in(page);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  INFO(
      "make it anew: keep its first lines and append the output of `saltus describe scene "
      "--markdown`");
  CHECK(text.size() > told.out.size());
  CHECK(text.ends_with(told.out));
}
