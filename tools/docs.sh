#!/usr/bin/env bash
# Builds the documentation as pages that need no network; open build/docs/index.html.
#
#     tools/docs.sh [FOLDER]      FOLDER instead of build/docs
#
# A warning (a dead link, an unknown heading) is an error, and all of them are shown.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! "$python" -c 'import sphinx, myst_parser, sphinx_rtd_theme' 2>/dev/null; then
  . "$root/tools/setup.sh"
  saltus_setup docs
fi
out=${1:-$root/build/docs}
mkdir -p "$out"
"$python" -m sphinx -q -W --keep-going -c "$root/docs" -d "$out/.doctrees" "$root" "$out"
echo '<!doctype html><meta charset="utf-8"><title>Saltus</title><meta http-equiv="refresh" content="0; url=docs/index.html">' >"$out/index.html"
echo "docs: $out/index.html"
