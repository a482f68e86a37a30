#include <cstdio>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/io/cite.h"
#include "saltus/io/info.h"

namespace saltus::app {

int cmd_info(const InfoOptions& options) {
  const ResultsReader results(options.file);
  std::string text;
  if (options.cite) {
    const std::vector<std::string> keys = cited_keys(results);
    text = options.json ? nlohmann::ordered_json({{"keys", keys}, {"bibtex", bibtex(keys)}}).dump(1)
                        : bibtex(keys);
  } else {
    text = options.json ? info_json(results) : info_text(results);
  }
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
