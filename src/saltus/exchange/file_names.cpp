#include "saltus/exchange/file_names.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"
#include "saltus/scene_file/data_files.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

/// What identifies a file: its canonical name and, if it exists, its inode.
std::vector<std::string> identities(const fs::path& file) {
  std::vector<std::string> result;
  std::error_code error;
  // absolute first: weakly_canonical leaves a relative name relative if nothing exists
  const fs::path whole = fs::weakly_canonical(fs::absolute(link_target(file.string())), error);
  result.push_back((error ? file.lexically_normal() : whole).string());
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0)
    // no file name begins with \n
    result.push_back(fmt::format("\n{}:{}", status.st_dev, status.st_ino));
  return result;
}

/// The files found so far, each with its role.
class Files {
 public:
  void add(const fs::path& file, const std::string& role) {
    for (std::string& identity : identities(file)) roles_.emplace(std::move(identity), role);
  }
  /// Registers an output file and its `.part`. Returns the role that one of the two already has, ""
  /// if none.
  std::string claim(const std::string& file, const std::string& role) {
    const std::string part = part_name(file);
    for (const std::string& name : {file, part})
      for (const std::string& identity : identities(name))
        if (const auto found = roles_.find(identity); found != roles_.end()) return found->second;
    add(file, role);
    add(part, role + " while it is written");
    return "";
  }

 private:
  std::map<std::string, std::string> roles_;
};

void claim_results(Files& files, const Scene& scene, const std::string& results) {
  layout::expect_name(results);
  files.add(scene.file, "the scene itself");
  for (const DataFile& data : data_files(scene)) files.add(data.file, "the file of " + data.entry);
  const std::string other = files.claim(results, "the results file");
  if (!other.empty())
    throw SceneError("", "is " + other, "give the results another name with -o").at(results, 0, 0);
}

/// What is wrong with the name of an output that must lie in `folder`; "" if nothing is.
std::string place_fault(const fs::path& folder, const fs::path& file, const std::string& ending) {
  std::string lower = file.extension().string();
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (lower != ending) return "does not end in " + ending;
  bool up = file.is_absolute(), hidden = false;
  for (const fs::path& part : file) {
    up = up || part == "..";
    hidden = hidden || (part != "." && part.native().starts_with('.'));
  }
  if (up) return "is not in the folder of the results";
  if (hidden) return "is a hidden file";
  std::error_code error, other;
  const fs::path base = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder), error),
                 target = fs::weakly_canonical(fs::absolute(link_target((folder / file).string())),
                                               other);
  if (error || other) return "cannot be found: " + (error ? error : other).message();
  const auto end = std::mismatch(base.begin(), base.end(), target.begin(), target.end()).first;
  return end == base.end() ? "" : "leads out of the folder of the results by a link";
}

}  // namespace

void expect_outputs_beside(const Scene& scene, const std::string& results) {
  const fs::path folder = fs::path(results).parent_path();
  for (std::size_t i = 0; i < scene.spec.outputs.size(); ++i) {
    const OutputSpec& output = scene.spec.outputs[i];
    for (const auto& [key, name] : {std::pair{"wav", &output.wav}, std::pair{"csv", &output.csv}}) {
      if (!*name) continue;
      const std::string fault = place_fault(folder, **name, std::string(".") + key);
      if (fault.empty()) continue;
      rethrow_placed(SceneError(fmt::format("outputs[{}].{}", i, key), "'" + **name + "' " + fault,
                                fmt::format("a name such as 'height.{}'; --outputs-anywhere "
                                            "(outputs_anywhere=True in Python) accepts any",
                                            key)),
                     scene);
    }
  }
}

void check_file_names(const Scene& scene, const std::string& results) {
  Files files;
  if (!results.empty()) claim_results(files, scene, results);
  const fs::path folder = fs::path(results).parent_path();
  for (std::size_t i = 0; i < scene.spec.outputs.size(); ++i) {
    const OutputSpec& output = scene.spec.outputs[i];
    for (const auto& [key, name] : {std::pair{"wav", &output.wav}, std::pair{"csv", &output.csv}}) {
      if (!*name) continue;
      const std::string entry = fmt::format("outputs[{}].{}", i, key);
      if (name->value().empty())
        rethrow_placed(SceneError(entry, "is empty", "the name of a file, or leave it out"), scene);
      if (name->value().find('\0') != std::string::npos)
        rethrow_placed(SceneError(entry, "contains a null character in the file name",
                                  "letters, digits, '.', '_' and '-'"),
                       scene);
      const std::string other = files.claim((folder / **name).string(), "the file of " + entry);
      if (other.empty()) continue;
      rethrow_placed(SceneError(entry, "'" + **name + "' is also " + other,
                                "use a different file for each output"),
                     scene);
    }
  }
}

}  // namespace saltus
