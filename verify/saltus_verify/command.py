"""The command: python3 -m saltus_verify out.h5"""
import argparse
import json
import os
import sys


def verify(name, checksums=True):
    """The report on a file. Without checksums only the equations decide."""
    from .report import Report
    from .results import Results
    report = Report()
    uncovered = stored_sums(name, report) if checksums else []
    try:
        results = Results(name)
        whole(results, None, checksums, report)
    except Exception as fault:
        if report.passed:
            raise
        report.not_checked("equations", f"of the altered data: {fault or type(fault).__name__}")
        return report
    for path in uncovered:
        if not results.covers(path):
            report.not_checked(path, "it has no checksum")
    return report


def stored_sums(name, report):
    """Compares the checksums of the file; returns the paths of the tables without one."""
    from . import sums
    from .results import open_file
    with open_file(name) as file:
        return sums.check(file, report)


def whole(results, model=None, checksums=True, report=None):
    """Inserts the contents of a file into their equations. model: that of the results, if it has been built before."""
    from . import checkpoint, indices, ledger, start, tables
    from .model import Model
    from .report import Report
    report = report or Report()
    if checksums:
        start.checksums(results, report, range(results.frames))
    of_indices = Report()
    indices.check(results, of_indices)
    report.quantities.update(of_indices.quantities)
    if not of_indices.passed:  # the equations use them
        report.not_checked("equations", "because indices or times are wrong")
        return report
    if results.scene.get("phases"):
        report.not_checked("equations, probes", "of a run with phases, whose scene changes; sums, ledger and summary are checked")
        ledger.check(results, report)
        checkpoint.check(results, report)
        tables.rows(results, report)
        return report
    model = model or Model(results)
    ledger.check(results, report)
    checkpoint.check(results, report)
    tables.check(results, model, report)
    equations(results, model, report, range(results.frames))
    return report


def equations(results, model, report, frames):
    """Inserts these frames into their equations. Bounds are those of the whole file, so that a part of the frames passes if
    all frames pass."""
    from . import start, steps
    start.check(results, model, report, frames)
    steps.check(results, model, report, frames)


def main(arguments):
    from .results import NoSteps
    parser = argparse.ArgumentParser(prog="saltus verify", description="checks a results file with code of its own")
    parser.add_argument("file", help="results file")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--strict", action="store_true", help="end with 3 if something was not checked")
    options = parser.parse_args(arguments)
    if os.path.isdir(options.file):
        print(f"saltus verify: {options.file}: is a folder; allowed: a file of a finished `saltus run`",
              file=sys.stderr)
        return 2
    try:
        report = verify(options.file)
    except FileNotFoundError:
        print(f"saltus verify: {options.file}: there is no such file", file=sys.stderr)
        return 2
    except OSError as fault:
        last = str(fault).splitlines()[0].rsplit("(", 1)[-1].rstrip(")")
        print(f"saltus verify: {options.file}: is not a complete results file: {last}; allowed: a file of a finished `saltus run`",
              file=sys.stderr)
        return 2
    except NoSteps as fault:
        print(f"saltus verify: {options.file}: cannot be checked: {fault}", file=sys.stderr)
        return 2
    except (KeyError, ValueError) as fault:  # a table is missing
        print(f"saltus verify: {options.file}: cannot be checked: {fault}; allowed: results of this version", file=sys.stderr)
        return 2
    except Exception as fault:  # fault of the verifier: no verdict is better than a wrong one
        print(f"saltus verify: {options.file}: the verifier fails: {type(fault).__name__}: {fault}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_dict()) if options.json else report.text())
    if not options.json:
        print("verify: " + ("pass" if report.passed else "FAIL: " + ", ".join(report.failed_names())))
    if not report.passed:
        return 1
    return 3 if options.strict and report.unchecked else 0
