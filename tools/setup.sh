#!/usr/bin/env bash
# Installs the Debian packages that are missing. Sourced by ./run, ./test and bench/run; also a command:
#
#     tools/setup.sh run | python | compile | test | bench | docs | dev
#
# Does nothing, not even apt-get update, when all are there. Touches nothing but apt.

saltus_packages() {  # the packages of one purpose
  local run="g++ cmake ninja-build libeigen3-dev libhdf5-dev libyaml-cpp-dev nlohmann-json3-dev libsndfile1-dev
             libfmt-dev libcli11-dev libsuitesparse-dev libtbb-dev libqhull-dev libtinyxml2-dev
             zlib1g-dev libcpp-httplib-dev libspectra-dev"
  local browser="chromium chromium-driver python3-selenium python3-h5py"  # tests/browser
  local package="python3-dev pybind11-dev python3-numpy python3-scipy python3-matplotlib"  # python/
  local tests="doctest-dev librapidcheck-dev libfcl-dev libode-dev"
  local python="$package mypy python3-nbclient python3-ipykernel"  # and tests of its stubs and notebooks
  local docs="python3-sphinx python3-myst-parser python3-sphinx-rtd-theme"  # tools/docs.sh
  case "$1" in
    run) echo $run ;;
    compile) echo $run $tests python3-dev pybind11-dev ;;  # what is compiled for test
    test) echo $run $tests $python $browser $docs python3-yaml ;;
    bench) echo $run libbenchmark-dev libboost-dev libode-dev libbullet-dev python3 ;;
    python) echo $run $package ;;
    docs) echo $docs ;;
    dev) echo $run $tests libbullet-dev libbenchmark-dev libboost-dev git ccache clang-format-14 clang-tidy-14 $python $browser $docs python3-yaml ;;
    *) echo "setup: unknown purpose '$1'; run, python, compile, test, bench, docs or dev" >&2; return 2 ;;
  esac
}

saltus_missing() {  # those of the packages named that are not installed
  local package state
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=none
    [ "$state" = installed ] || echo "$package"
  done
}

saltus_setup() {
  local packages missing as_root=()
  packages=$(saltus_packages "$1") || return 2
  if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: no apt here; taking the libraries as they are (Debian names: $packages)"
    return 0
  fi
  missing=$(saltus_missing $packages | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      echo "setup: missing packages, and neither root nor sudo; run as root: apt-get install --no-install-recommends $missing" >&2
      return 1
    fi
  fi
  echo "setup: installing $missing"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  local log
  log=$("${as_root[@]}" update </dev/null 2>&1) || {
    printf '%s\n' "$log" >&2
    echo "setup: apt-get update had errors (above); trying to install all the same" >&2
  }
  if ! log=$("${as_root[@]}" install -y --no-install-recommends $missing </dev/null 2>&1); then
    printf '%s\n' "$log" >&2
    echo "setup: apt-get could not install: $missing" >&2
    return 1
  fi
  missing=$(saltus_missing $packages | tr '\n' ' ')
  [ -z "${missing% }" ] || { echo "setup: still missing after the installation: $missing" >&2; return 1; }
  echo "setup: done"
}

saltus_jobs() {  # saltus_jobs [kB]: parallel compilers, one a core if each may need so much; SALTUS_JOBS overrides
  local cores memory
  cores=$(nproc 2>/dev/null || echo 1)
  # and what GCC lets gather above 512 MiB (CMakeLists.txt)
  memory=$(awk -v each="${1:-1700000}" -v cores="$cores" '
    /^MemTotal:/ {heap = $2 / cores / 8; each += (heap < 524288 ? 524288 : heap > 2097152 ? 2097152 : heap) - 524288}
    /^MemAvailable:/ {print int($2 / each)}' /proc/meminfo 2>/dev/null)
  [ -z "$memory" ] || [ "$memory" -ge "$cores" ] || cores=$((memory > 1 ? memory : 1))
  echo "${SALTUS_JOBS:-$cores}"
}

saltus_build() {  # saltus_build ROOT "target ..." [cmake options]: release build of these targets in ROOT/build/release
  local root=$1 targets=$2 memory=1700000
  shift 2
  [ "$targets" != all ] || memory=2500000  # of the largest group of test files
  [ -t 0 ] || exec </dev/null
  # ccache, where it is installed, keeps to the checkout unless told otherwise
  export CCACHE_DIR="${CCACHE_DIR:-$root/build/ccache}"
  (cd "$root" && cmake --preset release --log-level=NOTICE "$@" >/dev/null) || return
  nice -n 10 cmake --build "$root/build/release" -j "$(saltus_jobs "$memory")" --target $targets
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  saltus_setup "${1:-run}"
fi
