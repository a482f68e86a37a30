#include <cstdio>

#include "saltus/app/app.h"
#include "saltus/app/unfinished.h"
#include "saltus/base/error.h"
#include "saltus/study/compare.h"

namespace saltus::app {

int cmd_compare(const CompareOptions& options) {
  if (!(options.tolerance >= 0.0))
    throw SceneError("--tolerance", "is not a tolerance", "must be >= 0; 0: bit for bit");
  bool differs = false;
  std::string text = read_settled([&] {
    const ResultsReader a(options.first), b(options.second);
    const Comparison comparison = compare_results(a, b, options.tolerance);
    differs = comparison.differs();
    return options.json ? comparison_json(comparison, a, b) : comparison_text(comparison, a, b);
  });
  for (const std::string& file : {options.first, options.second}) warn_if_unfinished(file);
  if (!text.ends_with('\n')) text += '\n';
  std::fputs(text.c_str(), stdout);
  return differs ? kDiffers : kDone;
}

}  // namespace saltus::app
