// Leaving a test case that cannot run here. A skipped test is reported by name and never counted as passed.
//
//     TEST_CASE("the solver meets the error the authors publish") {
//       if (!std::filesystem::exists(file)) SALTUS_SKIP("no reference data: " + file);
//
// A run of ctest shows it as Skipped, ./test lists it with its reason. A failed check before it stays a failure.
#pragma once
#include <string>

namespace saltus_test {

/// Prints "SKIPPED <test case>: reason" and marks the running test case (tests/main.cpp).
void skip(const std::string& reason);

}  // namespace saltus_test

/// Use in the test case itself (it returns), at the head of the case or of a subcase.
#define SALTUS_SKIP(reason)    \
  do {                         \
    saltus_test::skip(reason); \
    return;                    \
  } while (false)
