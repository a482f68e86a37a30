// Scenes: read, checked and completed. The text of what was understood is read as the same scene.
#include "fuzz.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;
using namespace saltus_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  allowed("a.yaml", [&] {
    const Scene scene = read_scene_text(std::string(text_of(data, size)), "a.yaml");
    const std::string text = write_scene(scene.spec);
    try {
      require(write_scene(read_scene_text(text, "b.yaml").spec) == text, "the scene as understood");
    } catch (const SceneError& error) {
      stop("a scene is not read as it was understood", std::string(error.what()) + "\n" + text);
    }
  });
  return 0;
}
