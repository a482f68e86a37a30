#include "saltus/results/layout.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "saltus/results/atomic_file.h"
#include "saltus/results/output_file.h"

namespace saltus::layout {

std::vector<std::string> object_names(const std::vector<std::string>& names,
                                      std::string_view empty) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string base = name.empty() ? std::string(empty) : h5::escaped(name);
    std::string candidate = base;
    for (int k = 2; !taken.insert(candidate).second; ++k)
      candidate = base + "-" + std::to_string(k);
    result.push_back(candidate);
  }
  return result;
}

h5::Dataset described(h5::Dataset data, std::string_view unit, std::string_view description) {
  data.set("unit", unit);
  data.set("description", description);
  return data;
}

std::size_t frame_chunk(std::size_t columns) {
  return std::clamp<std::size_t>(32'768 / std::max<std::size_t>(columns, 1), 1, 4096);
}

std::vector<std::string> in_order(const h5::Group& group) {
  std::vector<std::string> names = group.names();
  std::vector<std::string> result(names.size());
  for (const std::string& name : names) {
    const auto index = static_cast<std::size_t>(group.integer_of(name, "index"));
    if (index >= result.size() || !result[index].empty())
      throw h5::Error(group.label() + ": " + name + " has an invalid index");
    result[index] = name;
  }
  return result;
}

void check_format(const h5::File& file, const std::string& path, std::string_view format) {
  if (!file.has_attribute("format") || !file.has_attribute("version") ||
      file.text("format") != format)
    throw SceneError("", "is not a results file of Saltus", "give a file made by 'saltus run'")
        .at(path, 0, 0);
  const std::int64_t version = file.integer("version");
  if (version > kVersion)
    throw SceneError("",
                     "has version " + std::to_string(version) +
                         " of the results format; this program supports " +
                         std::to_string(kVersion),
                     "use a newer Saltus")
        .at(path, 0, 0);
}

void pause(int attempt) {
  if (attempt >= kAttempts) throw;
  std::this_thread::sleep_for(std::chrono::milliseconds(kPause));
}

void expect_name(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    throw SceneError("", "the name contains a null character", "give the name of a file")
        .at(path, 0, 0);
}

namespace {

template <typename Open>
h5::File open_checked(const std::string& path, Open&& open, bool any = false) {
  expect_name(path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT && !is_part(path) &&
      ::stat(part_name(path).c_str(), &status) == 0)
    throw SceneError("", "the run is not finished; its data so far are in " + part_name(path),
                     "give that name, or finish the run with --resume")
        .at(path, 0, 0);
  if (::stat(path.c_str(), &status) != 0)
    throw SceneError("", std::string("cannot be read: ") + std::strerror(errno),
                     "give the name of a results file")
        .at(path, 0, 0);
  if (!S_ISREG(status.st_mode))
    throw SceneError("", "cannot be read: is not a regular file", "give the name of a results file")
        .at(path, 0, 0);
  for (int attempt = 1;; ++attempt) try {
      h5::File file = open();
      if (!any) check_format(file, path);
      return file;
    } catch (const h5::Changed&) {  // flushed just now
      pause(attempt);
    } catch (const h5::Foreign& error) {
      foreign(path, error);
    } catch (const h5::Error&) {
      if ((is_part(path) && status.st_size == 0) || AtomicFile::is_unborn(path.c_str()))
        throw SceneError("", "contains no checkpoint yet: its first write is not complete",
                         "wait for its run, or run the scene again without --resume")
            .at(path, 0, 0);
      throw SceneError("", "is not a results file of Saltus, or damaged",
                       "give a file made by 'saltus run'")
          .at(path, 0, 0);
    }
}

}  // namespace

h5::File open(const std::string& path, bool modify) {
  return open_checked(path, [&] { return modify ? h5::File::modify(path) : h5::File::read(path); });
}

h5::File open_any(const std::string& path) {
  return open_checked(
      path, [&] { return h5::File::read(path); }, true);
}

h5::File open_now(const std::string& path) {
  if (!is_part(path)) return open(path, false);  // finished: no longer written
  return open_checked(path, [&] { return h5::File::read_now(path, kInMemory); });
}

void foreign(const std::string& path, const h5::Foreign& error) {
  const std::string fault = error.what(), own = path + ": ";
  throw SceneError("", fault.starts_with(own) ? fault.substr(own.size()) : fault,
                   "use a file that contains all of its data")
      .at(path, 0, 0);
}

void damaged(const std::string& path, const h5::Error& error) {
  if (dynamic_cast<const h5::Changed*>(&error)) throw;
  if (const auto* outside = dynamic_cast<const h5::Foreign*>(&error)) foreign(path, *outside);
  const std::string fault = error.what(), own = path + ": ";  // also names the file
  damaged(path, fault.starts_with(own) ? fault.substr(own.size()) : fault);
}

void damaged(const std::string& path, const std::string& fault) {
  throw SceneError("", "is damaged: " + fault, "run the scene again").at(path, 0, 0);
}

}  // namespace saltus::layout
