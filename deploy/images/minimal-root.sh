#!/bin/sh
# `minimal-root.sh PROGRAM FOLDER`: the root file system of an image that runs only this program. Runs in the program's own
# image, on its architecture.
set -eu
program=$(command -v "$1")
into=$2

# Plain copies: a file capability would keep a container without capabilities from starting.
copy() {
  [ -e "$1" ] || return 0
  mkdir -p "$into$(dirname "$1")"
  cp -L "$1" "$into$1"
}

mkdir -p "$into/etc" "$into/tmp"
chmod 1777 "$into/tmp"
copy "$program"

# The loader and the libraries that a program names. Addons of Node also load librt.
libraries=$(ldd "$program" 2>/dev/null | grep -o '/[^ ]*' || true)
libc=$(echo "$libraries" | grep '/libc\.so\.6$' || true)
[ -z "$libc" ] || libraries="$libraries $(dirname "$libc")/librt.so.1 $(dirname "$libc")/libresolv.so.2"
for library in $libraries; do copy "$library"; done

copy /etc/ssl/certs/ca-certificates.crt # Node brings its own list, and uses this one with NODE_USE_SYSTEM_CA
copy /etc/os-release
echo 'parley:x:10001:10001:parley:/tmp:/sbin/nologin' > "$into/etc/passwd"
echo 'parley:x:10001:' > "$into/etc/group"
echo 'hosts: files dns' > "$into/etc/nsswitch.conf"

# Which Debian packages these files are from: scanners and our list of components read it, and their licences require it.
command -v dpkg-query >/dev/null || exit 0
packages=$(for file in "$program" $libraries; do
  # Debian lists some files under /usr, and some without.
  dpkg-query --search "$(readlink -f "$file")" "$(readlink -f "$file" | sed 's,^/usr,,')" 2>/dev/null || true
done | cut -d: -f1 | sort -u)
mkdir -p "$into/var/lib/dpkg/status.d"
for package in base-files $packages; do
  dpkg-query --show --showformat='Package: ${Package}\nStatus: install ok installed\nMaintainer: ${Maintainer}\nArchitecture: ${Architecture}\nSource: ${source:Package} (${source:Version})\nVersion: ${Version}\nDescription: ${binary:Summary}\n' \
    "$package" > "$into/var/lib/dpkg/status.d/$package"
  copy "/usr/share/doc/$package/copyright"
done
