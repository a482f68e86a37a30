#!/usr/bin/env bash
# Runs commands of a clean checkout in a bare Debian 12: no compiler, no git, no terminal, stdin closed, a path with a
# space. Says how long each took. Needs root and debootstrap.
#
#     tools/chroot_test.sh                    ./run, then ./test
#     tools/chroot_test.sh "./run --help" ... these commands, one after the other in the same system
#     tools/chroot_test.sh --worktree ...     the files of the working tree instead of the last commit's
#     tools/chroot_test.sh --base-only        only makes the base system's archive
#     tools/chroot_test.sh --keep ...         keeps the folder
#
# SALTUS_CHROOT_BASE names the archive of the base system (default: chroot_base.tar in TMPDIR). It is made once, by
# debootstrap from the mirror that this machine's apt uses. All mounts live in a mount namespace of their own, so they
# are gone when it ends, however it ends.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
base=${SALTUS_CHROOT_BASE:-${TMPDIR:-/tmp}/chroot_base.tar}

worktree=no base_only=no keep=no
while [ $# -gt 0 ]; do
  case "$1" in
    --worktree) worktree=yes ;;
    --base-only) base_only=yes ;;
    --keep) keep=yes ;;
    --*) echo "chroot_test: unknown option $1" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- ./run ./test
[ "$(id -u)" -eq 0 ] || { echo "chroot_test: needs root" >&2; exit 1; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/saltus_chroot.XXXXXX")
clean_up() {
  if [ "$keep" = yes ]; then
    echo "chroot_test: kept $folder"
  elif grep -qF " $folder" /proc/self/mounts; then
    echo "chroot_test: something is still mounted below $folder; left as it is" >&2
  else
    rm -rf --one-file-system "$folder"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
system="$folder/system"

if [ ! -f "$base" ]; then
  sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Component: main' |
    grep -E ' bookworm(-updates|-security)? main$' | sort -u)
  mirror=$(printf '%s\n' "$sources" | awk '$3 == "bookworm" {print $2; exit}')
  [ -n "$mirror" ] || { echo "chroot_test: this machine's apt has no source for bookworm main" >&2; exit 1; }
  command -v debootstrap >/dev/null || { echo "chroot_test: apt-get install debootstrap" >&2; exit 1; }
  debootstrap --variant=minbase bookworm "$system" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
  printf '%s\n' "$sources" >"$system/etc/apt/sources.list"
  rm -rf "$system"/var/cache/apt/archives/*.deb "$system"/var/lib/apt/lists/*
  tar -C "$system" --one-file-system -cf "$base.part" .
  mv "$base.part" "$base"
  rm -rf --one-file-system "$system"
  echo "chroot_test: made $base ($(du -h "$base" | cut -f1))"
fi
[ "$base_only" = no ] || exit 0

mkdir "$system"
tar -C "$system" -xpf "$base"
cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
checkout="$system/srv/a checkout"
mkdir -p "$checkout"
if [ "$worktree" = yes ]; then
  git -C "$root" ls-files -z --cached --others --exclude-standard |
    (cd "$root" && tar --null --files-from=- --ignore-failed-read -cf -) | tar -C "$checkout" -xf -
else
  git -C "$root" archive HEAD | tar -C "$checkout" -xf -
fi

# The inside: /proc and a /dev with the few nodes that programs expect, then the command without a terminal.
inside='
  set -e
  mount --make-rprivate /
  mount -t proc proc "$1/proc"
  mount -t tmpfs -o mode=755 tmpfs "$1/dev"
  for node in null zero full random urandom; do
    touch "$1/dev/$node"
    mount --bind "/dev/$node" "$1/dev/$node"
  done
  ln -s /proc/self/fd "$1/dev/fd"
  mkdir "$1/dev/shm"
  mount -t tmpfs tmpfs "$1/dev/shm"
  exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
    ${SALTUS_JOBS:+SALTUS_JOBS=$SALTUS_JOBS} /bin/bash -c "cd \"/srv/a checkout\" && $2" <&-
'
packages() { grep -c '^Package: ' "$system/var/lib/dpkg/status"; }
failed=0 report=
before=$(packages)
for command in "$@"; do
  echo "== $command"
  start=$(date +%s.%N) code=0
  setsid --wait unshare --mount --pid --fork --kill-child bash -c "$inside" inside "$system" "$command" </dev/null || code=$?
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}')
  report+="$command: exit code $code, $seconds s"$'\n'
  [ "$code" -eq 0 ] || failed=1
done
echo
printf '%s' "$report"
echo "packages: $before before, $(packages) after; the checkout takes $(du -sh "$checkout" | cut -f1); $(nproc) cores"
exit "$failed"
