// `saltus view --live`: serves a live run.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "saltus/app/live_run.h"
#include "saltus/app/view_server.h"

namespace saltus::app {

class ViewOfRun final : public ViewContent {
 public:
  /// Throws SceneError. The run is paused at its start.
  ViewOfRun(const std::string& scene, std::vector<std::string> set);

  Bytes header() override;
  Bytes fixed(std::uint64_t generation) override;
  Bytes frames(std::uint64_t first, std::uint64_t last) override;
  std::string events(Cursor& cursor, std::chrono::milliseconds wait) override;
  std::string control(std::string_view request) override;
  void close() override { run_->end_news(); }

  const LiveRun& run() const { return *run_; }

 private:
  struct Made {
    std::uint64_t generation = 0;
    Bytes header, fixed;   ///< the header without its controls
    std::string controls;  ///< their list as JSON, with the values at the start
  };
  LiveEncoder make_encoder(const SceneSetup& setup, const Simulation& sim);
  Bytes news(Cursor& cursor);

  std::mutex making_;     ///< builds one scene at a time: the HDF5 library is not thread-safe
  std::mutex lock_;       ///< protects the next line
  Made newest_, before_;  ///< headers of the current and the previous run

  std::mutex news_lock_;
  struct News {
    std::uint64_t state = 0, from = 0, to = 0;  ///< of the cursors before and after the text
    Bytes text;                                 ///< null: none yet
  } news_;                                      ///< the last news
  std::unique_ptr<LiveRun> run_;
};

}  // namespace saltus::app
