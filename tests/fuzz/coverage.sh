#!/bin/sh
# Lines of the readers that the inputs of the fuzz targets reach: those kept in corpus/ and those that run.sh has found.
#
#   tests/fuzz/coverage.sh [target...]      all targets
#
# Builds in build/fuzz-coverage, without sanitizers. A row for each file of a reader; `build/fuzz-coverage/TARGET.txt` shows the lines.
# CLANG: the compiler, LLVM: the suffix of llvm-profdata and llvm-cov ("-14"), JOBS: how many compile.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build="$root/build/fuzz-coverage"
: "${CLANG:=$(command -v clang++ || command -v clang++-14)}" "${LLVM:=}" "${JOBS:=$(nproc)}"
[ -n "$LLVM" ] || command -v llvm-cov > /dev/null || LLVM=-14
if [ $# -eq 0 ]; then
  for file in "$root"/tests/fuzz/*_fuzz.cpp; do set -- "$@" "$(basename "$file" _fuzz.cpp)"; done
fi

mkdir -p "$build"
cmake -S "$root/tests/fuzz" -B "$build" -DCMAKE_CXX_COMPILER="$CLANG" -DSALTUS_FUZZ_COVERAGE=ON > "$build.log" 2>&1 ||
  { cat "$build.log"; exit 2; }
cmake --build "$build" -j "$JOBS" --target "$@" >> "$build.log" 2>&1 || { tail -50 "$build.log"; exit 2; }

printf '%-10s %-44s %8s %8s %7s\n' target file lines missed percent
for target; do
  case $target in  # what each of them reads with
    scene) files='scene_file/|spec/|base/(unit|options|text_check)' ;;
    urdf) files='import/urdf' ;;
    gmsh) files='mesh/gmsh(_read|_source|)\.cpp' ;;
    fclib) files='exchange/fclib' ;;
    results) files='results/(results_reader|results_file|checkpoint|packed_state|hdf5_data|layout|info|event_table|mesh_table|statistics)|view/' ;;
    table) files='base/(csv_read|matrix_market|npy|text_check)' ;;
    surface) files='shapes/(mesh_file|obj_file|stl_file|surface_text)' ;;
    view) files='app/view_server' ;;
    *) files='.' ;;
  esac
  set -- "$root/tests/fuzz/corpus/$target" "$root/build/fuzz/found/$target"
  inputs=
  for folder; do [ ! -d "$folder" ] || inputs="$inputs $folder"; done
  LLVM_PROFILE_FILE="$build/$target.profraw" "$build/$target" -runs=0 $inputs > "$build/$target.log" 2>&1 ||
    { tail -5 "$build/$target.log"; exit 1; }
  "llvm-profdata$LLVM" merge -o "$build/$target.profdata" "$build/$target.profraw"
  "llvm-cov$LLVM" export -summary-only -instr-profile="$build/$target.profdata" "$build/$target" > "$build/$target.json"
  "llvm-cov$LLVM" show -instr-profile="$build/$target.profdata" "$build/$target" > "$build/$target.txt"
  /usr/bin/python3 - "$build/$target.json" "$target" "$files" <<'PYTHON'
import json, re, sys
name, target, pattern = sys.argv[1:]
total = missed = 0
for one in json.load(open(name))["data"][0]["files"]:
    path = one["filename"].split("/src/saltus/")[-1]
    lines = one["summary"]["lines"]
    if not re.match(pattern, path) or not lines["count"]:
        continue
    total += lines["count"]
    missed += lines["count"] - lines["covered"]
    print(f'{target:10} {path:44} {lines["count"]:8} {lines["count"] - lines["covered"]:8} {lines["percent"]:7.1f}')
if total:
    print(f'{target:10} {"all":44} {total:8} {missed:8} {100 * (total - missed) / total:7.1f}')
PYTHON
done
