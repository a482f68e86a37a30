#include <cstdio>

#include "saltus/app/app.h"
#include "saltus/scene_file/schema.h"

namespace saltus::app {

int cmd_schema() {
  std::string text = scene_schema();
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
