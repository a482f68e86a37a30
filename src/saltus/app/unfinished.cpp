#include "saltus/app/unfinished.h"

#include <fmt/format.h>

#include "saltus/app/terminal.h"
#include "saltus/results/output_file.h"
#include "saltus/results/results_reader.h"

namespace saltus::app {

void warn_if_unfinished(const std::string& file) {
  if (!is_part(file)) return;  // files get their final name when they are finished
  try {
    const std::string text = read_settled([&] {
      const ResultsReader results(file);
      const std::size_t steps = results.rows() > 0 ? results.rows() - 1 : 0;
      return fmt::format("{}: the run is not finished; the file has {} steps and {} frames", file,
                         steps, results.frames());
    });
    warn(text);
  } catch (const std::exception&) {  // the verb itself reports it
  }
}

}  // namespace saltus::app
