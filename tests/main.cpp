// main() of every test binary: doctest, and three rules on top of it.
//
// 1. A skipped test case (tests/support/skip.h, or doctest::skip()) is named; run by ctest it ends with exit code 77,
//    which ctest reports as Skipped.
// 2. A test case that checks nothing fails, and so does a run whose filter matches no test case.
// 3. --ctest-file=F writes one ctest entry a test case to F and runs nothing (tests/CMakeLists.txt calls it after each
//    build). A test case of a suite whose name begins with "slow" gets the label slow:
//        TEST_CASE("ten thousand spheres come to rest" * doctest::test_suite("slow"))
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/skip.h"

namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in the ctest entries
constexpr int kNothing = 3;   // no test case ran, or one checked nothing

struct Run {
  std::string current;                         // name of the running test case
  std::map<std::string, std::string> skipped;  // name, reason
  std::vector<std::string> empty;              // test cases without a check
  unsigned ran = 0;
  std::string ctest_file;  // --ctest-file and what its entries need
  std::string exe, folder, label, timeout, slow_timeout, cost, slow_cost, work;
  bool written = false;
};
Run run;

std::string bracketed(std::string_view text) {  // a CMake bracket argument takes any text
  return "[====[" + std::string(text) + "]====]";
}

// doctest splits its filter at commas and reads * as any text, which only makes an entry match more.
std::string filter(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == ',' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void write_ctest_file(const doctest::QueryData& query) {
  const std::string part =
      run.ctest_file + ".part";  // whole when it has its name: ctest may begin meanwhile
  std::ofstream out(part);
  std::set<std::string> seen;
  for (unsigned i = 0; i < query.num_data; ++i) {
    const doctest::TestCaseData& test = *query.data[i];
    if (!seen.insert(test.m_name).second) continue;  // equal names: one filter runs them all
    const bool slow =
        run.label == "slow" || std::string_view(test.m_test_suite).substr(0, 4) == "slow";
    const std::string name = bracketed(run.folder + ": " + test.m_name);
    const std::string argument = test.m_skip ? std::string("--report-skip=") + test.m_name
                                             : "--test-case=" + filter(test.m_name);
    // MALLOC_PERTURB_: glibc fills what it gives with 0x7f, 1.4e306 as a number: what is read unwritten shows
    out << "add_test(" << name << " " << bracketed(run.exe) << " " << bracketed(argument)
        << ")\nset_tests_properties(" << name << " PROPERTIES LABELS \""
        << (slow ? "slow" : "quick") << ";" << run.folder << "\" COST "
        << (slow ? run.slow_cost : run.cost) << " TIMEOUT "
        << (slow ? run.slow_timeout : run.timeout) << " SKIP_RETURN_CODE " << kSkipped
        << " ENVIRONMENT \"SALTUS_CTEST=1;MALLOC_PERTURB_=128\" WORKING_DIRECTORY "
        << bracketed(run.work) << ")\n";
  }
  out.close();
  run.written = !out.fail() && std::rename(part.c_str(), run.ctest_file.c_str()) == 0;
}

struct Watcher : doctest::IReporter {
  explicit Watcher(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData& query) override {
    if (!run.ctest_file.empty()) write_ctest_file(query);
  }
  void test_case_start(const doctest::TestCaseData& test) override { run.current = test.m_name; }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    ++run.ran;
    if (stats.numAssertsCurrentTest == 0 && stats.testCaseSuccess &&
        run.skipped.count(run.current) == 0)
      run.empty.push_back(run.current);
    run.current.clear();
  }
  void test_case_skipped(const doctest::TestCaseData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
};
REGISTER_LISTENER("saltus_watcher", 1, Watcher);

struct Silent : Watcher {
  using Watcher::Watcher;
  void report_query(const doctest::QueryData&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
};
REGISTER_REPORTER("saltus_silent", 1, Silent);

bool option(std::string_view argument, std::string_view name, std::string& value) {
  if (argument.substr(0, name.size()) != name) return false;
  value = argument.substr(name.size());
  return true;
}

}  // namespace

void saltus_test::skip(const std::string& reason) {
  if (run.skipped.emplace(run.current, reason).second)
    std::cout << "SKIPPED " << run.current << ": " << reason << std::endl;
}

/// HDF5 (1.10) loses memory of its own where the header of an object is damaged. What the tests forget to close is closed with its file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

int main(int argc, char** argv) {
  std::string value, ctest_file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (option(argument, "--report-skip=", value)) {
      std::cout << "SKIPPED " << value << ": marked doctest::skip()" << std::endl;
      return kSkipped;
    }
    option(argument, "--ctest-file=", run.ctest_file);
    option(argument, "--ctest-exe=", run.exe);
    option(argument, "--ctest-folder=", run.folder);
    option(argument, "--ctest-label=", run.label);
    option(argument, "--ctest-timeout=", run.timeout);
    option(argument, "--ctest-slow-timeout=", run.slow_timeout);
    option(argument, "--ctest-cost=", run.cost);
    option(argument, "--ctest-slow-cost=", run.slow_cost);
    option(argument, "--ctest-work=", run.work);
  }
  if (!run.ctest_file.empty()) {
    const char* query[] = {argv[0], "--list-test-cases", "--no-skip", "--reporters=saltus_silent"};
    doctest::Context(4, query).run();
    if (!run.written) std::cerr << "cannot write " << run.ctest_file << "\n";
    return run.written ? 0 : 1;
  }

  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;  // a query such as --help
  if (result != 0) return result;
  for (const std::string& name : run.empty)
    std::cout << "EMPTY " << name << ": no check ran; check something or SALTUS_SKIP(reason)"
              << std::endl;
  if (run.ran == 0) std::cout << "no test case ran" << std::endl;
  if (run.ran == 0 || !run.empty.empty()) return kNothing;
  if (!run.skipped.empty() && std::getenv("SALTUS_CTEST") != nullptr) return kSkipped;
  return 0;
}
