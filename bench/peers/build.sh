#!/usr/bin/env bash
# Builds the drivers of bench/peers whose libraries are installed, and that of Saltus, into FOLDER; says in one line what it
# leaves out. It does nothing for a driver that is newer than its sources.
#
#     bench/peers/build.sh [FOLDER]       FOLDER: build/peers
#
# Debian 12: libode-dev libbullet-dev libmujoco-dev libsimbody-dev libsundials-dev libboost-dev python3-siconos
# SALTUS_BUILD: the folder of the release build (build/release), whose libsaltus.a is linked.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$root/build/peers}
built=${SALTUS_BUILD:-$root/build/release}
source=${SALTUS_SOURCE:-$root/src}
cxx=${CXX:-g++}
mkdir -p "$out"
/usr/bin/env python3 "$here/scenes.py" header "$out/scenes.h.new"
if cmp -s "$out/scenes.h.new" "$out/scenes.h"; then rm "$out/scenes.h.new"; else mv "$out/scenes.h.new" "$out/scenes.h"; fi

left_out=()
# driver NAME HEADER "FLAGS" LIBRARIES... : HEADER is looked for as the compiler would
driver() {
  local name=$1 header=$2 fresh=1 flags
  read -ra flags <<<"-std=c++20 $3"
  shift 3
  for file in "$here/$name.cpp" "$here/peer.h" "$here/blocks.h" "$here/penetration.h" "$here/smooth.h" "$out/scenes.h"; do
    if [ "$file" -nt "$out/$name" ]; then fresh=0; fi
  done
  if [ "$name" = saltus ] && [ "$built/libsaltus.a" -nt "$out/$name" ]; then fresh=0; fi
  if [ $fresh = 1 ]; then return; fi
  if ! printf '#include <%s>\n' "$header" | "$cxx" "${flags[@]}" -M -x c++ - >"$out/$name.log" 2>&1; then
    left_out+=("$name")
    rm -f "$out/$name"
    return
  fi
  if ! nice -n 10 "$cxx" "${flags[@]}" -O3 -DNDEBUG -I "$out" "$here/$name.cpp" -o "$out/$name" "$@" >"$out/$name.log" 2>&1; then
    left_out+=("$name (does not compile: $out/$name.log)")
    rm -f "$out/$name"
  fi
}

driver saltus saltus/sim/simulation.h "-DEIGEN_MAX_ALIGN_BYTES=64 -DEIGEN_MAX_STATIC_ALIGN_BYTES=16 -DFMT_SHARED -ffp-contract=off -I$source \
  -I$built/generated/include -isystem /usr/include/eigen3 -isystem /usr/include/hdf5/serial" "$built/libsaltus.a" \
  -lyaml-cpp -lhdf5_serial -lsndfile -lfmt -lcholmod -ltbb -lqhull_r -ltinyxml2 -lz -ldeflate -lpthread
driver odeint boost/numeric/odeint.hpp ""
driver ode ode/ode.h "" -lode
driver bullet btBulletDynamicsCommon.h "-DBT_USE_DOUBLE_PRECISION -isystem /usr/include/bullet" -lBulletDynamics-float64 \
  -lBulletCollision-float64 -lLinearMath-float64
driver sundials cvode/cvode.h "-isystem /usr/lib/x86_64-linux-gnu/openmpi/include" -lsundials_cvode -lsundials_arkode \
  -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunmatrixdense -lsundials_sunnonlinsolfixedpoint
driver mujoco mujoco/mujoco.h "" -lmujoco
driver simbody Simbody.h "-std=c++17 -isystem /usr/include/simbody" -lSimTKsimbody -lSimTKmath -lSimTKcommon
printf '#include "penetration.h"\nextern "C" double deepest_penetration(const double* x, int n) { return peers::deepest_penetration(x, n); }\n' |
  "$cxx" -std=c++20 -O3 -DNDEBUG -shared -fPIC -I "$out" -I "$here" -x c++ - -o "$out/libpenetration.so"  # for siconos.py
"$cxx" -O2 -shared -fPIC "$here/siconos_unchecked.cpp" -o "$out/libsiconos_unchecked.so"
if ! /usr/bin/python3 -P -c "import siconos.kernel" >"$out/siconos.log" 2>&1; then left_out+=(siconos); fi
[ ${#left_out[@]} = 0 ] || echo "peers: left out, not installed: $(IFS=,; echo "${left_out[*]}" | sed 's/,/, /g')"
