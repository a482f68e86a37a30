// A results file as view data: header, static bytes and chunks of frames,
// docs/reference/view_data.md.
//
//     ResultsReader results("out.h5");
//     ViewData view(results, {});
//     send(view.header().json, view.header().bytes);
//     send(view.chunk(0, 100));  // records of the first hundred frames
//
// Memory use does not grow with the file: only a few blocks of its tables are loaded at a time.
#pragma once
#include <memory>
#include <optional>

#include "saltus/view/view_file.h"
#include "saltus/view/view_header.h"

namespace saltus {

struct ViewOptions {
  /// True: 16-bit numbers with ranges found by reading all frames. False: f32, with box and ranges
  /// of fields from at most 200 frames.
  bool quantised = false;
  std::optional<double> from, to;       ///< first and last time of the frames [s]
  std::size_t every = 1;                ///< every n-th frame, and the last
  std::size_t sound_bytes = 8'000'000;  ///< largest total size of the sounds
  bool live = false;                    ///< the file is still being written
};

/// Not thread-safe: use an object from one thread at a time. `results` must outlive it.
class ViewData {
 public:
  /// Throws SceneError for a damaged file; UsageError if no frame lies in the time range, or every
  /// < 1.
  ViewData(const ResultsReader& results, ViewOptions options);

  std::size_t frames() const { return chosen_.size(); }
  const ViewScene& scene() const { return file_.scene(); }
  const ViewTracks& tracks() const { return *tracks_; }
  const ViewFacts& facts() const { return facts_; }
  /// Contacts of a frame in the file.
  std::size_t contacts(std::size_t frame) const { return file_.contact_count(chosen_[frame]); }

  /// Keeps only every `times`-th of the initial frames, and the last.
  void thin(std::size_t times);
  /// Limits the contacts per record: if a frame has more, those with the largest forces are kept.
  void limit_contacts(std::size_t most);

  /// Computed anew at each call.
  ViewHeader header() const { return view_header(scene(), *tracks_, facts_); }
  /// Frames first .. first + count - 1 of frames(). Throws UsageError if they do not exist or
  /// exceed 4 GiB.
  std::string chunk(std::size_t first, std::size_t count);

 private:
  void note_frames();

  ViewFile file_;
  std::size_t every_;
  /// frame numbers in the file: initial choice, and current choice
  std::vector<std::size_t> base_, chosen_;
  std::unique_ptr<ViewTracks> tracks_;
  ViewFacts facts_;
  ViewRecordOptions record_;
};

}  // namespace saltus
