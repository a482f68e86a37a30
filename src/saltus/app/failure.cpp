#include "saltus/app/failure.h"

#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "saltus/app/app.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"

namespace saltus::app {
namespace {

struct Failure {
  int code;
  std::string text;
};

Failure describe(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const SceneError& e) {
    return {kBadInput, e.what()};
  } catch (const RunError& e) {
    return {kNotFinished, e.what()};
  } catch (const std::bad_alloc&) {
    return {kNotFinished,
            "there is not enough memory; use fewer modes or contact points (`saltus check` counts "
            "them)"};
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
  const Failure failure = describe(std::move(error));
  complain(failure.text);
  if (json) {
    const nlohmann::ordered_json object = {{"error", failure.text}, {"exit_code", failure.code}};
    std::puts(object.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  }
  return failure.code;
}

}  // namespace saltus::app
