#include <cstdio>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/results/cite.h"
#include "saltus/results/info.h"

namespace saltus::app {

int cmd_info(const InfoOptions& options) {
  std::string text = read_settled([&] {
    const ResultsReader results(options.file);
    if (!options.cite) return options.json ? info_json(results) : info_text(results);
    const std::vector<std::string> keys = cited_keys(results);
    return options.json ? nlohmann::ordered_json({{"keys", keys}, {"bibtex", bibtex(keys)}}).dump(1)
                        : bibtex(keys);
  });
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace saltus::app
