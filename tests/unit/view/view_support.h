// What the tests of views share: a source in memory, and a reader of chunks written from the reference page alone.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "saltus/view/view_frames.h"

namespace view_test {

/// Frames that are put in by hand.
struct MemorySource final : saltus::ViewSource {
  saltus::ViewScene what;
  std::vector<double> times;
  /// [body][table][frame]
  std::map<std::pair<std::size_t, std::string>, std::vector<std::vector<double>>> rows;
  std::vector<std::vector<saltus::ViewContact>> touching;

  const saltus::ViewScene& scene() const override { return what; }
  std::size_t frames() const override { return times.size(); }
  double time(std::size_t k) const override { return times[k]; }
  std::uint64_t step(std::size_t k) const override { return 10 * k; }
  std::span<const double> row(std::size_t body, std::string_view table, std::size_t k) override {
    return rows.at({body, std::string(table)}).at(k);
  }
  std::size_t contact_count(std::size_t k) const override {
    return k < touching.size() ? touching[k].size() : 0;
  }
  void contacts(std::size_t k, std::vector<saltus::ViewContact>& out) override {
    out = k < touching.size() ? touching[k] : std::vector<saltus::ViewContact>();
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> list(times.size());
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = k;
    return list;
  }
};

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value;
  REQUIRE(at + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct ReadContact {
  float point[3], normal[3], force[3], gap;
  std::int16_t body[4];
  std::uint8_t status, zeros[3];
};
static_assert(sizeof(ReadContact) == 52);

/// A chunk as the viewer reads it.
struct ReadChunk {
  std::uint32_t first = 0;
  std::vector<double> times;
  std::vector<std::uint32_t> steps;
  std::vector<std::string_view> records;

  explicit ReadChunk(std::string_view bytes) {
    REQUIRE(bytes.substr(0, 4) == "SLTF");
    first = number_at<std::uint32_t>(bytes, 4);
    const auto count = number_at<std::uint32_t>(bytes, 8);
    CHECK(number_at<std::uint32_t>(bytes, 12) == 0);
    std::size_t at = 16;
    for (std::uint32_t k = 0; k < count; ++k, at += 8)
      times.push_back(number_at<double>(bytes, at));
    for (std::uint32_t k = 0; k < count; ++k, at += 4)
      steps.push_back(number_at<std::uint32_t>(bytes, at));
    const std::size_t records_at = (at + 4 * (count + 1) + 7) / 8 * 8;
    for (std::uint32_t k = 0; k < count; ++k, at += 4) {
      const auto from = number_at<std::uint32_t>(bytes, at),
                 to = number_at<std::uint32_t>(bytes, at + 4);
      REQUIRE(from <= to);
      REQUIRE(records_at + to <= bytes.size());
      records.push_back(bytes.substr(records_at + from, to - from));
    }
  }
};

/// Track `index` of a record.
inline std::vector<double> read_track(const saltus::ViewTracks& view, std::size_t index,
                                      std::string_view record) {
  using Type = saltus::ViewTrack::Type;
  std::size_t at = 0;
  for (std::size_t i = 0; i < index; ++i) {
    const saltus::ViewTrack& track = view.tracks[i];
    at += (track.width() * (track.type == Type::f32 ? 4 : 2) + 3) / 4 * 4;
  }
  const saltus::ViewTrack& track = view.tracks[index];
  std::vector<double> values;
  for (std::size_t c = 0; c < track.width(); ++c) {
    const std::size_t axis = c % track.axes;
    if (track.type == Type::f32)
      values.push_back(number_at<float>(record, at + 4 * c));
    else if (track.type == Type::i16)
      values.push_back(number_at<std::int16_t>(record, at + 2 * c) / 32767.0);
    else
      values.push_back(track.lo[axis] + (track.hi[axis] - track.lo[axis]) *
                                            number_at<std::uint16_t>(record, at + 2 * c) / 65535.0);
  }
  return values;
}

inline std::vector<ReadContact> read_contacts(const saltus::ViewTracks& view,
                                              std::string_view record) {
  REQUIRE(record.size() >= view.record_bytes);
  REQUIRE((record.size() - view.record_bytes) % 52 == 0);
  std::vector<ReadContact> contacts;
  for (std::size_t at = view.record_bytes; at < record.size(); at += 52)
    contacts.push_back(number_at<ReadContact>(record, at));
  return contacts;
}

}  // namespace view_test
