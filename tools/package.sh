#!/usr/bin/env bash
# Makes the Debian package of the command, the library and the Python package, and tries it on a bare Debian 12.
#
#     tools/package.sh                  builds in build/package, packs, and tries the package
#     tools/package.sh --no-try         builds and packs
#     tools/package.sh --try FILE.deb   tries a package that is there
#
# Packing needs dpkg-dev, trying needs root and debootstrap (tools/chroot_test.sh makes the base system). The try installs the
# package with apt, runs an example, imports the Python package, and builds and runs tests/install/client.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

make=yes try=yes package=
case "${1:-}" in
  "") ;;
  --no-try) try=no ;;
  --try) make=no package=${2:?"--try needs a file"} ;;
  *) echo "package: unknown option $1" >&2; exit 2 ;;
esac

if [ "$make" = yes ]; then
  . "$root/tools/setup.sh"
  saltus_setup python
  build="$root/build/package"
  export CCACHE_DIR="${CCACHE_DIR:-$root/build/ccache}"
  cmake -S "$root" -B "$build" -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DSALTUS_BUILD_PYTHON=ON -DSALTUS_PYTHON_DIR=lib/python3/dist-packages
  nice -n 10 cmake --build "$build" -j "$(saltus_jobs)" --target saltus_app saltus_python
  rm -f "$build"/saltus_*.deb
  (cd "$build" && cpack -G DEB)
  package=$(ls "$build"/saltus_*.deb)
  echo "package: $package ($(du -h "$package" | cut -f1))"
fi
[ "$try" = yes ] || exit 0

[ "$(id -u)" -eq 0 ] || { echo "package: trying needs root" >&2; exit 1; }
base=${SALTUS_CHROOT_BASE:-${TMPDIR:-/tmp}/chroot_base.tar}
[ -f "$base" ] || "$root/tools/chroot_test.sh" --base-only
folder=$(mktemp -d "${TMPDIR:-/tmp}/saltus_package.XXXXXX")
clean_up() {
  if grep -qF " $folder" /proc/self/mounts; then
    echo "package: something is still mounted below $folder; left as it is" >&2
  else
    rm -rf --one-file-system "$folder"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
system="$folder/system"
mkdir "$system"
tar -C "$system" -xpf "$base"
cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
mkdir -p "$system/srv/try"
cp "$package" "$system/srv/try/saltus.deb"
cp -r "$root/tests/install/client" "$system/srv/try/client"

cat >"$system/srv/try/steps" <<'STEPS'
set -eux
cd /srv/try
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends ./saltus.deb >/dev/null
saltus --version
saltus run /usr/share/saltus/examples/bouncing_ball.yaml -q -o ball.h5
saltus info ball.h5 | head -n 4
python3 - <<'PYTHON'
import saltus
s = saltus.Simulation("/usr/share/saltus/examples/bouncing_ball.yaml")
s.run(until=0.5)
print(saltus.__version__, saltus.__file__, s.t, s.groups["ball"].q)
PYTHON
test -s /usr/share/doc/saltus/copyright
dpkg -V saltus
apt-get -qq install -y --no-install-recommends g++ cmake ninja-build $(dpkg-query -W -f '${Recommends}' saltus | tr -d ,) >/dev/null
cmake -S client -B built -G Ninja
cmake --build built
built/client
apt-get -qq purge -y saltus >/dev/null
test ! -e /usr/bin/saltus
test ! -e /usr/lib/python3/dist-packages/saltus
test ! -e /usr/share/saltus
STEPS
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
  exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C /bin/bash /srv/try/steps <&-
'
setsid --wait unshare --mount --pid --fork --kill-child bash -c "$inside" inside "$system" </dev/null
echo "package: good"
