#!/usr/bin/env bash
# Runs the mixed scene of tests/soak for many steps and watches the memory: fails where the resident set grows by more than
# 1 MB after the first tenth of the steps, or where the run does not end well.
#
#     tools/soak.sh                     1e7 steps of build/release/bin/saltus
#     tools/soak.sh STEPS [COMMAND]     e.g. tools/soak.sh 1e5 in every test run
#
# Prints every tenth: seconds, steps, resident memory [kB].
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
steps=$(awk -v n="${1:-1e7}" 'BEGIN {printf "%d", n}')
saltus=${2:-$root/build/release/bin/saltus}
allowed=1024  # [kB]
h=1e-4        # [s] of the scene
[ "$steps" -ge 1000 ] || { echo "soak: at least 1000 steps" >&2; exit 2; }
[ -x "$saltus" ] || { echo "soak: $saltus is not there; ./run builds it" >&2; exit 2; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/saltus_soak.XXXXXX")
run=
clean_up() {
  [ -z "$run" ] || kill "$run" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

end=$(awk -v n="$steps" -v h="$h" 'BEGIN {printf "%.10g", n * h}')
cd "$folder"
"$saltus" run "$root/tests/soak/mixed.yaml" --until "$end" -o soak.h5 >out 2>progress &
run=$!
begin=$SECONDS
first=0 last=0 shown=-1
while kill -0 "$run" 2>/dev/null; do
  sleep 0.2
  rss=$(awk '/^VmRSS/ {print $2}' "/proc/$run/status" 2>/dev/null) || true
  [ -n "$rss" ] || continue
  # "  3 %  t 0.0332/1 s  48 steps/s ...", a line a second
  tenth=$(awk -v end="$end" '/ %  t / {split($4, t, "/"); share = t[1] / end} END {printf "%d", 10 * share}' progress)
  [ "$tenth" -ge 1 ] || continue
  [ "$first" -gt 0 ] || first=$rss
  [ "$rss" -le "$last" ] || last=$rss
  if [ "$tenth" -ne "$shown" ]; then
    shown=$tenth
    echo "$((SECONDS - begin)) s, $((steps / 10 * tenth)) steps, $rss kB"
  fi
done
code=0
wait "$run" || code=$?
run=
if [ "$code" -ne 0 ]; then
  tail -n 3 progress >&2
  echo "soak: the run ended with $code" >&2
  exit 1
fi
grep -E "^(steps|cost of a step|failed steps|contacts|penetration)" out || true
if [ "$first" -eq 0 ]; then
  echo "soak: the run was over before its memory could be watched; more steps" >&2
  exit 1
fi
grown=$((last - first))
echo "soak: $steps steps, $first kB after the first tenth, at most $last kB later: $grown kB more (allowed $allowed)"
[ "$grown" -le "$allowed" ]
