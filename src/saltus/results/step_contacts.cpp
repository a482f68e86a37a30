#include "saltus/results/step_contacts.h"

#include <array>
#include <utility>

#include "saltus/results/layout.h"

namespace saltus {

StepContacts StepContacts::create(const h5::File& file) {
  const h5::Group group = file.create_group("step_contacts");
  const h5::Table count{h5::Type::uint64, 0, 4096, 1};
  h5::Dataset offset =
      layout::described(group.create("offset", count), "1",
                        "contacts of row k of /step: rows offset[k] .. offset[k+1] - 1");
  offset.append(std::span<const std::uint64_t>(std::array<std::uint64_t, 1>{0}));
  layout::described(group.create("key", count), "1", "row of /pairs with this key");
  layout::described(group.create("impulse", {h5::Type::real64, 3, layout::frame_chunk(3), 0}),
                    "N s", "normal, first and second tangent");
  return open(file);
}

StepContacts StepContacts::open(const h5::File& file) {
  StepContacts table;
  if (!file.has("step_contacts")) return table;
  table.offset_ = file.dataset("step_contacts/offset");
  table.key_ = file.dataset("step_contacts/key");
  table.impulse_ = file.dataset("step_contacts/impulse");
  table.offset_.expect_columns(1);
  table.key_.expect_columns(1);
  table.impulse_.expect_columns(3);
  table.count_ = table.key_.rows();
  return table;
}

void StepContacts::add(std::span<const ContactMemory> contacts) {
  if (!offset_.is_open()) return;
  for (const ContactMemory& contact : contacts) {
    waiting_.key.push_back(contact.key);
    waiting_.impulse.push_back(contact.impulse);
  }
  count_ += contacts.size();
  waiting_.offset.push_back(count_);
}

void StepContacts::write(Waiting& contacts) {
  if (!offset_.is_open()) return;
  offset_.append(std::span<const std::uint64_t>(contacts.offset));
  key_.append(std::span<const std::uint64_t>(contacts.key));
  static_assert(sizeof(Vector3) == 3 * sizeof(double));
  if (!contacts.impulse.empty())
    impulse_.append(std::span(contacts.impulse.front().data(), 3 * contacts.impulse.size()));
  contacts.offset.clear();
  contacts.key.clear();
  contacts.impulse.clear();
}

void StepContacts::truncate(std::size_t rows) {
  if (!offset_.is_open()) return;
  const std::vector<std::uint64_t> offset = offset_.counts();
  if (offset.size() <= rows || key_.rows() < offset[rows] || impulse_.rows() < offset[rows])
    throw h5::Error(offset_.label() + ": rows are missing");
  count_ = offset[rows];
  offset_.truncate(rows + 1);
  key_.truncate(count_);
  impulse_.truncate(count_);
}

}  // namespace saltus
