// Loops over the contacts of an island, multithreaded if there are many.
#pragma once
#include "saltus/assembly/contact_list.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {

/// Calls use(begin, end) on parts of 0 .. count - 1, in blocks on several threads if the list is
/// lean: its laws may then be called from any thread.
template <class Use>
void in_parts(const ContactList& list, std::size_t count, const Use& use) {
  if (list.lean())
    in_blocks(count, [&](std::size_t, std::size_t begin, std::size_t end) { use(begin, end); });
  else
    use(std::size_t{0}, count);
}

}  // namespace saltus
