#!/bin/sh
# Builds the fuzz targets in build/fuzz and runs each for some seconds: inputs, speed, coverage, faults. Ends with 1 on a fault.
#
#   tests/fuzz/run.sh [seconds] [target...]      60 seconds each, all targets
#
# A fault is a crash, a report of a sanitizer, a leak, an input that takes more than 10 s or 2 GiB, or an error that may not leave
# a reader (fuzz.h). Its input is kept in build/fuzz/run/TARGET/; `build/fuzz/TARGET FILE` repeats it. What was found on the way is
# kept in build/fuzz/found/TARGET and begun with the next time. CLANG: the compiler, JOBS: how many compile.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build="$root/build/fuzz"
seconds=${1:-60}
[ $# -eq 0 ] || shift
: "${CLANG:=$(command -v clang++ || command -v clang++-14)}" "${JOBS:=$(nproc)}"
if [ $# -eq 0 ]; then
  for file in "$root"/tests/fuzz/*_fuzz.cpp; do set -- "$@" "$(basename "$file" _fuzz.cpp)"; done
fi

mkdir -p "$build"
cmake -S "$root/tests/fuzz" -B "$build" -DCMAKE_CXX_COMPILER="$CLANG" > "$build.log" 2>&1 ||
  { cat "$build.log"; exit 2; }
cmake --build "$build" -j "$JOBS" --target "$@" >> "$build.log" 2>&1 || { tail -50 "$build.log"; exit 2; }

export ASAN_OPTIONS="allocator_may_return_null=0:detect_leaks=1:symbolize=1"
export UBSAN_OPTIONS="print_stacktrace=1"
faults=0
printf '%-10s %12s %9s %9s  %s\n' target inputs "a second" edges faults
for target; do
  work="$build/run/$target" found="$build/found/$target"
  rm -rf "$work"
  mkdir -p "$work" "$found"
  seeds="$root/tests/fuzz/corpus/$target"
  [ -d "$seeds" ] || seeds=
  words="$root/tests/fuzz/dict/$target.dict"
  [ -f "$words" ] && words="-dict=$words" || words=
  ended=0
  (cd "$work" && "$build/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=2048 \
    -print_final_stats=1 $words "$found" $seeds > log 2>&1) || ended=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
  edges=$(grep -o ' cov: [0-9]*' "$work/log" | tail -1 | tr -dc 0-9)
  kept=$(find "$work" -name '*-*' -type f | wc -l)
  [ "$ended" -eq 0 ] || [ "$kept" -gt 0 ] || kept=1
  printf '%-10s %12s %9s %9s  %s\n' "$target" "${inputs:-?}" "$((${inputs:-0} / seconds))" "${edges:-?}" "$kept"
  if [ "$kept" -gt 0 ]; then
    faults=1
    grep -m 1 'ERROR: \|runtime error: ' "$work/log" || tail -3 "$work/log"
  fi
done
exit $faults
