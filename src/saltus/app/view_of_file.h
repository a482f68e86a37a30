// `saltus view`: serves a results file, finished or still being written.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "saltus/app/view_server.h"
#include "saltus/view/view_data.h"

namespace saltus::app {

class ViewOfFile final : public ViewContent {
 public:
  /// `file`: of a finished run, or the `.part` of a run in progress. Throws SceneError if it is not
  /// a results file.
  explicit ViewOfFile(std::string file);
  ~ViewOfFile() override;

  Bytes header() override;
  Bytes fixed(std::uint64_t generation) override;
  Bytes frames(std::uint64_t first, std::uint64_t last) override;
  std::string results() const override;
  std::string events(Cursor& cursor, std::chrono::milliseconds wait) override;
  std::string control(std::string_view request) override;
  void close() override { closed_ = true; }

 private:
  struct Opened;
  void read();
  void look_again();
  bool is_written();

  // One lock for everything: the HDF5 library is not thread-safe.
  mutable std::mutex lock_;
  std::atomic<bool> closed_ = false;
  std::string file_;
  std::unique_ptr<Opened> opened_;
  Bytes header_, fixed_, fixed_before_;
  std::uint64_t generation_ = 0;
  std::chrono::steady_clock::time_point looked_{};
  std::uintmax_t size_ = 0, node_ = 0;
  std::int64_t changed_ = 0;                 ///< time of the last change of the file [ns]
  bool running_ = false, was_held_ = false;  ///< a run writes the file; its lock was detected
  std::optional<std::chrono::steady_clock::time_point> grew_;  ///< when growth was last detected
};

}  // namespace saltus::app
