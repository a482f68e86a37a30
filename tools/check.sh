#!/usr/bin/env bash
# The one command before a commit: format, headers alone, lint by clang-tidy, build, all tests.
#
#     tools/check.sh            clang-tidy on the .cpp files that differ from the last commit
#     tools/check.sh --all      clang-tidy on all of them (minutes)
#     tools/check.sh --fix      formats the files first
#
# clang-format 14 and clang-tidy 14 are used where they are installed (tools/setup.sh dev); another version formats
# differently, so it is not used.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. tools/setup.sh

all=no fix=no
for argument in "$@"; do
  case "$argument" in
    --all) all=yes ;;
    --fix) fix=yes ;;
    *) echo "check: unknown option $argument" >&2; exit 2 ;;
  esac
done

failed=() left_out=()
step() {  # step NAME COMMAND ...: goes on after a fault, so that one run shows them all
  local name=$1
  shift
  echo "== $name"
  "$@" || failed+=("$name")
}
version_14() {  # the path of a tool in version 14, or nothing
  local tool
  for tool in "$1-14" "$1"; do
    if command -v "$tool" >/dev/null 2>&1 && "$tool" --version | grep -q 'version 14\.'; then
      command -v "$tool"
      return
    fi
  done
}

folders=()
for folder in src tests bench examples python fuzz; do [ ! -d "$folder" ] || folders+=("$folder"); done
mapfile -d '' sources < <(find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z)

format=$(version_14 clang-format)
if [ -n "$format" ]; then
  [ "$fix" = no ] || "$format" -i "${sources[@]}"
  step format "$format" --dry-run --Werror "${sources[@]}"
else
  left_out+=("format (no clang-format 14)")
fi

# Every header compiles by itself, and clang-tidy analyses the same code as GCC: both without the precompiled header.
headers() {
  cmake --preset develop -B build/tidy --log-level=NOTICE \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null &&
    nice -n 10 cmake --build build/tidy -j "$(saltus_jobs)" --target saltus_verify_interface_header_sets
}
step headers headers

# Rooms that are compiled some files at a time (SALTUS_UNITY) keep their local names apart: each room is one file here.
rooms() {
  local room failures=0
  for room in scene io study app; do
    printf '#include "%s"\n' "$root/src/saltus/$room"/*.cpp |
      nice -n 10 g++ -std=c++20 -fsyntax-only -x c++ -DEIGEN_MAX_ALIGN_BYTES=64 -Isrc -Ibuild/tidy/generated/include \
        -isystem /usr/include/eigen3 -isystem /usr/include/hdf5/serial - || failures=1
  done
  return $failures
}
step rooms rooms

tidy=$(version_14 clang-tidy)
if [ -n "$tidy" ]; then
  chosen=()
  for source in "${sources[@]}"; do
    [[ "$source" == src/*.cpp ]] || continue
    if [ "$all" = yes ] || [ -n "$(git status --porcelain -- "$source" "${source%.cpp}.h" 2>/dev/null)" ]; then
      chosen+=("$source")
    fi
  done
  if [ ${#chosen[@]} -gt 0 ]; then
    step clang-tidy xargs -0 -n 1 -P "$(saltus_jobs)" nice -n 10 "$tidy" --quiet -p build/tidy \
      --extra-arg-before=-include --extra-arg-before="$root/cmake/clang_source_location.h" \
      --extra-arg=-Wno-unknown-warning-option < <(printf '%s\0' "${chosen[@]}")
  fi
else
  left_out+=("clang-tidy (no version 14)")
fi

cmake --preset release --log-level=ERROR -DSALTUS_WERROR=ON >/dev/null  # a warning is an error to who develops
step tests ./test

echo
for name in ${left_out[@]+"${left_out[@]}"}; do echo "left out: $name"; done
if [ ${#failed[@]} -gt 0 ]; then
  echo "check: failed: ${failed[*]}"
  exit 1
fi
echo "check: good"
