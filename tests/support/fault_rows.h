// Inputs that are refused, each with the whole message.
#pragma once
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/base/error.h"

namespace saltus_test {

struct FaultRow {
  std::string text, message;
};

/// read(text) throws the message of each row behind `name` and a colon.
template <class Read>
void expect_faults(const std::string& name, const std::vector<FaultRow>& rows, const Read& read) {
  for (const FaultRow& row : rows) {
    CAPTURE(row.text);
    CHECK_THROWS_WITH_AS(read(row.text), (name + ":" + row.message).c_str(), saltus::SceneError);
  }
}

}  // namespace saltus_test
