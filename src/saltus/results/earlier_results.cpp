// Files of earlier runs: resuming them, and keeping them next to a new run.
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "saltus/results/atomic_file.h"
#include "saltus/results/checkpoint.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"
#include "saltus/results/results.h"
#include "saltus/results/results_file.h"

namespace saltus {

std::string resumable_file(const std::string& path) {
  const std::string name = final_name(path);
  for (const std::string& candidate : {part_name(name), name}) {
    struct stat status {};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return candidate;
  }
  throw SceneError("", "nothing to resume: neither this file nor its .part exists",
                   "run without --resume")
      .at(name, 0, 0);
}

bool begins_at_start(const std::string& part, std::string_view resolved,
                     std::span<const InputFile> inputs) {
  if (!is_part(part)) return false;
  struct stat status {};
  const bool empty = ::stat(part.c_str(), &status) == 0 && status.st_size == 0;
  if (empty || AtomicFile::is_unborn(part.c_str())) return true;  // stopped before its first flush
  const h5::File stored = layout::open(part, false);
  if (stored.has("summary") || !stored.group("checkpoint").names().empty()) return false;
  check_same_scene(stored, part, resolved, 0.0);
  check_same_inputs(stored, part, inputs);
  return true;
}

KeptPart keep_earlier_part(const std::string& path) {
  const std::string part = part_name(path);
  struct stat status {};
  if (::lstat(part.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return {};
  if (is_written_now(part).value_or(false) || AtomicFile::is_unborn(part.c_str())) return {};
  bool whole = false;
  try {
    const h5::File stored = layout::open(part, false);
    if (stored.dataset("step/time").rows() <= 1 && newest_checkpoint_step(stored) <= 0)
      return {};  // its run made no step, or none that was flushed
    whole = true;
  } catch (const std::exception&) {  // damaged, or not a file of Saltus: keep it unchanged
  }
  const std::string target = link_target(path);
  const std::size_t slash = target.rfind('/'), dot = target.rfind('.');
  const bool suffix =
      dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  const std::string stem = suffix ? target.substr(0, dot) : target,
                    end = suffix ? target.substr(dot) : "";
  for (int k = 1;; ++k) {
    const std::string name = stem + "." + std::to_string(k) + end, kept = name + ".part";
    if (::lstat(name.c_str(), &status) == 0 || ::lstat(kept.c_str(), &status) == 0) continue;
    if (std::rename(part.c_str(), kept.c_str()) != 0)
      throw SceneError("", std::string("cannot be renamed: ") + std::strerror(errno),
                       "resume it with --resume, or choose another name with -o")
          .at(part, 0, 0);
    return {name, whole};
  }
}

State read_checkpoint(const std::string& file, const Model& model) {
  const h5::File stored = layout::open(file, false);
  return newest_checkpoint(stored, file, model).state;
}

}  // namespace saltus
