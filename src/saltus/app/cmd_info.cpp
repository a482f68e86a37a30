#include <cstdio>

#include "saltus/app/app.h"
#include "saltus/io/info.h"

namespace saltus::app {

int cmd_info(const InfoOptions& options) {
  const ResultsReader results(options.file);
  std::string text = options.json ? info_json(results) : info_text(results);
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
