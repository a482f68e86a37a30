// Inputs that are refused, each with the whole message.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "saltus/base/faults.h"

namespace saltus_test {

struct FaultRow {
  std::string text, message;
  int faults = 1;  ///< of the text, of which `message` tells one
};

/// read(text) throws the message of each row behind `name` and a colon, as one of its faults.
template <class Read>
void expect_faults(const std::string& name, const std::vector<FaultRow>& rows, const Read& read) {
  for (const FaultRow& row : rows) {
    CAPTURE(row.text);
    if (row.faults == 1) {
      CHECK_THROWS_WITH_AS(read(row.text), (name + ":" + row.message).c_str(), saltus::SceneError);
      continue;
    }
    try {
      read(row.text);
      FAIL_CHECK("no fault was found");
    } catch (const saltus::SceneError& error) {
      const auto lines = saltus::fault_lines(error);
      CAPTURE(error.what());
      CHECK(static_cast<int>(lines.size()) == row.faults);
      CHECK(std::ranges::count(lines, name + ":" + row.message) == 1);
    }
  }
}

}  // namespace saltus_test
