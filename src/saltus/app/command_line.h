// The options of all verbs, read from the command line.
#pragma once
#include "saltus/app/app.h"
#include "saltus/app/cmd_verify.h"

namespace saltus::app {

/// Those of the verb that was given are filled.
struct Arguments {
  RunOptions run;
  CheckOptions check;
  StudyArguments study;
  SweepOptions sweep;
  SolveOptions solve;
  DescribeOptions describe;
  InfoOptions info;
  CompareOptions compare;
  VerifyOptions verify;
  ReportOptions report;
  ViewArguments view;
  ConvertOptions convert;
  ImportOptions robot;
  NewOptions create;
};

/// argv[1] is a verb. False: help was asked for and is printed. Throws SceneError with the nearest
/// valid name for what it cannot read.
bool read_command_line(int argc, char** argv, Arguments& a);

}  // namespace saltus::app
