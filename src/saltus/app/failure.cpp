#include "saltus/app/failure.h"

#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "saltus/app/app.h"
#include "saltus/app/terminal.h"
#include "saltus/base/faults.h"

namespace saltus::app {
namespace {

using FailureJson = nlohmann::ordered_json;

struct Failure {
  int code;
  std::string text;
  std::vector<std::string> lines{};  ///< of several errors
  FailureJson faults{};              ///< of a scene, each with its place
};

Failure scene_failure(const SceneError& error) {
  Failure failure{kBadInput, error.SceneError::what(), fault_lines(error), FailureJson::array()};
  for (const SceneError& one : all_faults(error)) {
    FailureJson fault{{"error", one.what()}};
    if (one.placed()) fault["file"] = one.file();
    if (one.line() > 0) fault["line"] = one.line();
    if (one.column() > 0) fault["column"] = one.column();
    fault["path"] = one.path();
    fault["message"] = one.message();
    fault["hint"] = one.hint();
    failure.faults.push_back(std::move(fault));
  }
  return failure;
}

Failure describe_failure(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const SceneError& e) {
    return scene_failure(e);
  } catch (const RunError& e) {
    return {kNotFinished, e.what()};
  } catch (const std::bad_alloc&) {
    return {kNotFinished,
            "out of memory; use fewer modes or contact points (`saltus check` shows their number)"};
  } catch (const std::filesystem::filesystem_error& e) {
    return {kBadInput, e.path1().string() + ": " + e.code().message()};
  } catch (const std::exception& e) {
    return {kInternal,
            std::string("internal error: ") + e.what() + "; please report it with the scene"};
  } catch (...) {
    return {kInternal, "internal error of unknown kind; please report it with the scene"};
  }
}

}  // namespace

int report_failure(std::exception_ptr error, bool json) {
  const Failure failure = describe_failure(std::move(error));
  if (failure.lines.empty()) complain(failure.text);
  for (const std::string& line : failure.lines) complain(line);
  if (json) {
    FailureJson object = {{"error", failure.text}, {"exit_code", failure.code}};
    if (!failure.faults.empty()) object["errors"] = failure.faults;
    std::puts(object.dump(1, ' ', false, FailureJson::error_handler_t::replace).c_str());
  }
  return failure.code;
}

}  // namespace saltus::app
