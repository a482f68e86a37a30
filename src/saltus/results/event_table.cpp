#include "saltus/results/event_table.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "saltus/results/layout.h"

namespace saltus {
namespace {

constexpr std::array kEventColumns{"time", "kind", "key", "speed", "impulse", "energy"};

/// "impact, rest, ...", ordered by number.
std::string kinds_of_events() {
  std::string text;
  for (std::size_t k = 0; k < kEventKinds; ++k)
    text += (k > 0 ? ", " : "") + std::string(name_of(static_cast<Event::Kind>(k)));
  return text;
}

}  // namespace

EventTable EventTable::create(const h5::File& file) {
  const h5::Group group = file.create_group("events");
  const auto column = [&](const char* name, h5::Type type, std::size_t columns, const char* unit,
                          const char* description) {
    return layout::described(group.create(name, {type, columns}), unit, description);
  };
  column("time", h5::Type::real64, 0, "s", "time of the event");
  column("kind", h5::Type::int32, 0, "1", "kind of event: index in the list `names`")
      .set("names", kinds_of_events());
  column("key", h5::Type::uint64, 0, "1",
         "of the contact, as in /contacts and /pairs; 0 for hand_over and take_back");
  column("speed", h5::Type::real64, 0, "m/s", "gap rate before an impact, negative");
  column("impulse", h5::Type::real64, 3, "N s",
         "of impacts and rests: normal, first and second tangent");
  column("energy", h5::Type::real64, 0, "J",
         "change by an impact, summed over all contacts and stored at the first");
  return open(file);
}

EventTable EventTable::open(const h5::File& file) {
  EventTable table;
  if (!file.has("events")) return table;
  table.time_ = file.dataset("events/time");
  table.kind_ = file.dataset("events/kind");
  table.key_ = file.dataset("events/key");
  table.speed_ = file.dataset("events/speed");
  table.impulse_ = file.dataset("events/impulse");
  table.energy_ = file.dataset("events/energy");
  for (const h5::Dataset* column :
       {&table.time_, &table.kind_, &table.key_, &table.speed_, &table.energy_})
    column->expect_columns(1);
  table.impulse_.expect_columns(3);
  table.count_ = table.time_.rows();
  return table;
}

void EventTable::add(std::span<const Event> events) {
  if (!time_.is_open()) return;
  for (const Event& event : events) {
    waiting_.time.push_back(event.t);
    waiting_.kind.push_back(static_cast<std::int32_t>(event.kind));
    waiting_.key.push_back(event.key);
    waiting_.speed.push_back(event.speed);
    waiting_.impulse.insert(waiting_.impulse.end(), event.impulse.begin(), event.impulse.end());
    waiting_.energy.push_back(event.energy);
  }
  count_ += events.size();
}

void EventTable::write(Waiting& events) {
  if (!time_.is_open() || events.time.empty()) return;
  time_.append(std::span<const double>(events.time));
  kind_.append(std::span<const std::int32_t>(events.kind));
  key_.append(std::span<const std::uint64_t>(events.key));
  speed_.append(std::span<const double>(events.speed));
  impulse_.append(std::span<const double>(events.impulse));
  energy_.append(std::span<const double>(events.energy));
  events = {};
}

void EventTable::truncate(std::size_t rows) {
  if (!time_.is_open()) return;
  for (h5::Dataset* column : {&time_, &kind_, &key_, &speed_, &impulse_, &energy_}) {
    if (column->rows() < rows) throw h5::Error(column->label() + ": rows are missing");
    column->truncate(rows);
  }
  count_ = rows;
}

std::size_t event_rows(const h5::File& file) {
  if (!file.has("events")) return 0;
  std::size_t rows = std::numeric_limits<std::size_t>::max();
  for (const char* column : kEventColumns)
    rows = std::min(rows, file.dataset(std::string("events/") + column).rows());
  return rows;
}

std::vector<Event> read_events(const h5::File& file, std::size_t rows) {
  std::vector<Event> events(std::min(rows, event_rows(file)));
  if (events.empty()) return events;
  const auto reals = [&](const char* name, std::size_t columns = 1) {
    const h5::Dataset data = file.dataset(std::string("events/") + name);
    data.expect_columns(columns);
    return data.reals(0, events.size());
  };
  const std::vector<double> time = reals("time"), kind = reals("kind"), speed = reals("speed"),
                            impulse = reals("impulse", 3), energy = reals("energy");
  const std::vector<std::uint64_t> key = file.dataset("events/key").counts();
  if (key.size() < events.size()) throw h5::Error("events/key: rows are missing");
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto k =
        kind[i] >= 0.0 && kind[i] < kEventKinds ? static_cast<std::size_t>(kind[i]) : kEventKinds;
    if (k == kEventKinds)
      throw h5::Error(file.dataset("events/kind").label() + ": contains an unknown kind");
    events[i] = {static_cast<Event::Kind>(k),
                 time[i],
                 key[i],
                 speed[i],
                 {impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]},
                 energy[i]};
  }
  return events;
}

}  // namespace saltus
