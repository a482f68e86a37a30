// A results file as a view: header, static bytes and chunks of frames, docs/reference/view_data.md.
//
//     ResultsReader results("out.h5");
//     ViewData view(results, {});
//     send(view.header().json, view.header().bytes);
//     send(view.chunk(0, 100));  // records of the first hundred frames
//
// Whatever the size of the file, a few blocks of its tables are in memory.
#pragma once
#include <memory>
#include <optional>

#include "saltus/view/view_file.h"
#include "saltus/view/view_header.h"

namespace saltus {

struct ViewOptions {
  /// Numbers of 16 bits over ranges that are found by reading all frames; else f32, with box and
  /// ranges of fields from 200 frames at most.
  bool quantised = false;
  std::optional<double> from, to;       ///< frames at these times and between [s]
  std::size_t every = 1;                ///< each every-th frame, and the last
  std::size_t sound_bytes = 8'000'000;  ///< of the sounds, at most
  bool live = false;                    ///< the file still grows
};

/// One object is used by one thread at a time. `results` outlives it.
class ViewData {
 public:
  /// Throws SceneError: damaged; UsageError: no frames between the times, every < 1.
  ViewData(const ResultsReader& results, ViewOptions options);

  std::size_t frames() const { return chosen_.size(); }
  const ViewScene& scene() const { return file_.scene(); }
  const ViewTracks& tracks() const { return *tracks_; }
  const ViewFacts& facts() const { return facts_; }
  /// Contacts of a frame in the file.
  std::size_t contacts(std::size_t frame) const { return file_.contact_count(chosen_[frame]); }

  /// Each `times`-th of the frames of the start, and the last, from now on.
  void thin(std::size_t times);
  /// Of a record, from now on; where a frame has more, those with the largest forces are kept.
  void limit_contacts(std::size_t most);

  /// Made anew at each call.
  ViewHeader header() const { return view_header(scene(), *tracks_, facts_); }
  /// Frames first .. first + count - 1 of frames(). Throws UsageError: not there, or beyond 4 GiB.
  std::string chunk(std::size_t first, std::size_t count);

 private:
  void note_frames();

  ViewFile file_;
  std::size_t every_;
  std::vector<std::size_t> base_, chosen_;  ///< frames of the file: of the start, and of now
  std::unique_ptr<ViewTracks> tracks_;
  ViewFacts facts_;
  ViewRecordOptions record_;
};

}  // namespace saltus
