// A results file as the source of a view.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saltus/results/results_reader.h"
#include "saltus/view/view_source.h"

namespace saltus {

/// Loads one block of each table at a time, whatever the number of frames. Skips tables that an
/// older file does not contain. Not thread-safe: use an object from one thread at a time.
class ViewFile final : public ViewSource {
 public:
  static constexpr std::size_t kMarks = 20'000;  ///< upper limit

  /// `results` must outlive this. Throws SceneError for a damaged file.
  explicit ViewFile(const ResultsReader& results);
  ~ViewFile() override;

  const ViewScene& scene() const override { return scene_; }
  std::size_t frames() const override { return time_.size(); }
  double time(std::size_t frame) const override { return time_[frame]; }
  std::uint64_t step(std::size_t frame) const override { return step_[frame]; }
  std::span<const double> row(std::size_t body, std::string_view table, std::size_t frame) override;
  std::size_t contact_count(std::size_t frame) const override;
  void contacts(std::size_t frame, std::vector<ViewContact>& out) override;

 private:
  struct Block;
  void read_bodies();
  void read_drawing();
  void read_lines(const h5::Group& lines);
  void read_colours(const std::vector<std::int32_t>& rows);
  void read_joints();
  void read_markers();
  void read_marks();
  void read_contact_tables();
  std::span<const double> read_row(std::string_view path, std::size_t row);

  const ResultsReader& results_;
  ViewScene scene_;
  std::vector<double> time_;
  std::vector<std::uint64_t> step_, offset_;
  std::vector<double> moved_;
  std::map<std::string, std::unique_ptr<Block>, std::less<>> blocks_;
};

}  // namespace saltus
