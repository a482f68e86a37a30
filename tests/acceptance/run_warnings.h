// What a whole run says at its end, as the command does it.
#pragma once
#include <string>
#include <vector>

#include "../support/data_folder.h"
#include "saltus/study/scene_run.h"

namespace saltus::test {

struct Warned {
  std::string lines;  ///< warnings, one a line
  RunResult result;
  std::size_t groups = 0;

  bool says(const std::string& part) const { return lines.find(part) != std::string::npos; }
  double fed() const { return result.loop.gain.fed(); }
};

inline Warned run_warned(const std::string& text, const std::vector<std::string>& set = {}) {
  const saltus_test::DataFolder folder;
  folder.write("s.yaml", text);
  SceneRunOptions options;
  options.output = (folder.path / "s.h5").string();
  Warned out;
  options.note = [&](const std::string& line) { out.lines += line + "\n"; };
  SceneSetup setup = set_up((folder.path / "s.yaml").string(), set, "");
  out.groups = setup.model.groups().size();
  SceneRun run(std::move(setup), std::move(options));
  out.result = run();
  return out;
}

}  // namespace saltus::test
