#include "saltus/app/view_of_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "saltus/results/output_file.h"
#include "saltus/results/results_reader.h"

namespace saltus::app {
namespace {

constexpr std::chrono::milliseconds kLook{1000};  // interval between checks of a growing file
// until the next attempt if the file could not be read
constexpr std::chrono::milliseconds kAgain{100};
constexpr int kAttempts = 20;
// a file without a lock that has not grown for this time was abandoned
constexpr std::chrono::seconds kStill{5};

struct FileStamp {
  bool there = false;
  std::uintmax_t size = 0;
  std::int64_t changed = 0;
  std::uintmax_t node = 0;  ///< unchanged if the file is renamed
};
FileStamp stamp_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {true, static_cast<std::uintmax_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec,
          static_cast<std::uintmax_t>(status.st_ino)};
}

}  // namespace

struct ViewOfFile::Opened {
  ResultsReader results;
  ViewData view;
  explicit Opened(const std::string& file) : results(file), view(results, options(results)) {}
  static ViewOptions options(const ResultsReader& results) {
    ViewOptions options;
    options.live = !results.finished();
    return options;
  }
};

ViewOfFile::ViewOfFile(std::string file) : file_(std::move(file)) {
  const std::lock_guard lock(lock_);
  for (int attempt = 1; !opened_; ++attempt) try {
      read();
    } catch (const std::exception&) {  // a run may be writing to it
      if (!is_part(file_) || attempt == kAttempts) throw;
      std::this_thread::sleep_for(kAgain);
    }
  running_ = is_written();
}

ViewOfFile::~ViewOfFile() = default;

/// Throws SceneError and then keeps the previous data.
void ViewOfFile::read() {
  const FileStamp stamp = stamp_of(file_);
  auto opened = std::make_unique<Opened>(file_);
  ViewHeader header = opened->view.header();
  ++generation_;
  header.json.insert(1, fmt::format("\"generation\":{},", generation_));
  header_ = std::make_shared<const std::string>(std::move(header.json));
  fixed_before_ = std::move(fixed_);
  fixed_ = std::make_shared<const std::string>(std::move(header.bytes));
  opened_ = std::move(opened);
  size_ = stamp.size;
  node_ = stamp.node;
  changed_ = stamp.changed;
}

/// If a lock was detected once, it decides. A run on another machine, whose locks are not visible
/// here, is detected by the growth of the file.
bool ViewOfFile::is_written() {
  if (opened_->results.finished()) return false;
  const std::optional<bool> held = is_written_now(file_);
  was_held_ |= held.value_or(false);
  return held.value_or(true) ||
         (!was_held_ && grew_ && std::chrono::steady_clock::now() - *grew_ < kStill);
}

/// Reads a growing file again after a change; at the end of the run the file is renamed.
void ViewOfFile::look_again() {
  const auto now = std::chrono::steady_clock::now();
  if (opened_->results.finished() || now - looked_ < kLook) return;
  looked_ = now;
  FileStamp stamp = stamp_of(file_);
  const std::string before = file_;
  if (!stamp.there && is_part(file_)) {
    file_ = final_name(file_);
    stamp = stamp_of(file_);
    if (stamp.node != node_) stamp.there = false;  // an older run of this name: ours was abandoned
  }
  if (!stamp.there) file_ = before;
  const bool is_new =
      stamp.there && (stamp.size != size_ || stamp.changed != changed_ || file_ != before);
  if (is_new) {
    grew_ = now;
    try {
      read();
    } catch (const std::exception&) {  // read between two writes; the next check succeeds
      file_ = before;
    }
  }
  running_ = is_written();
}

ViewContent::Bytes ViewOfFile::header() {
  const std::lock_guard lock(lock_);
  look_again();
  return header_;
}

ViewContent::Bytes ViewOfFile::fixed(std::uint64_t generation) {
  const std::lock_guard lock(lock_);
  if (generation == 0 || generation == generation_) return fixed_;
  return generation + 1 == generation_ ? fixed_before_ : nullptr;
}

ViewContent::Bytes ViewOfFile::frames(std::uint64_t first, std::uint64_t last) {
  const std::lock_guard lock(lock_);
  for (int attempt = 1;; ++attempt) {
    if (first > last || last >= opened_->view.frames()) return nullptr;
    try {
      return std::make_shared<const std::string>(opened_->view.chunk(first, last - first + 1));
    } catch (const std::exception&) {
      if (opened_->results.finished() || attempt == kAttempts) throw;
    }
    // the run has moved parts of the file since it was opened: open it again
    std::this_thread::sleep_for(kAgain);
    looked_ = {};
    size_ = 0;
    look_again();
  }
}

std::string ViewOfFile::results() const {
  const std::lock_guard lock(lock_);
  return file_;
}

std::string ViewOfFile::events(Cursor& cursor, std::chrono::milliseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  do {
    {
      const std::lock_guard lock(lock_);
      look_again();
      const std::uint64_t doing = running_ ? 1 : 2;
      if (cursor.generation != generation_ || cursor.state != doing) {
        const bool finished = opened_->results.finished();
        const auto frames = opened_->view.frames();
        std::string text;
        if (cursor.generation != 0 && cursor.generation != generation_)
          text = fmt::format("event: header\ndata: {{\"generation\":{}}}\n\n", generation_);
        const double t = frames ? opened_->view.facts().times.back() : 0.0;
        const std::uint32_t step = frames ? opened_->view.facts().steps.back() : 0;
        const nlohmann::ordered_json state{{"running", running_}, {"time", t},  {"step", step},
                                           {"frames", frames},    {"first", 0}, {"rate", nullptr},
                                           {"ended", finished}};
        text += fmt::format("event: state\ndata: {}\n\n", state.dump());
        if (finished) text += "event: end\ndata: {}\n\n";
        cursor.generation = generation_;
        cursor.state = doing;
        return text;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  } while (!closed_ && std::chrono::steady_clock::now() < until);
  return "";
}

std::string ViewOfFile::control(std::string_view) {
  return R"({"error":"control: this is a stored run; use saltus view --live SCENE to control one"})";
}

}  // namespace saltus::app
