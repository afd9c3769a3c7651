#!/bin/sh
# `runtime.sh FOLDER`: copies Node and what it loads, as the root file system of an image. Runs in the base image, on its
# architecture.
set -eu
into=$1
node=$(command -v node)

mkdir -p "$into/usr/local/bin" "$into/etc/ssl/certs" "$into/tmp" "$into/usr/share/doc"
chmod 1777 "$into/tmp"
cp -L "$node" "$into/usr/local/bin/node"

# The loader and the libraries that the binary names. Addons in the image need librt, names of hosts need libresolv.
libraries=$(ldd "$node" | grep -o '/[^ ]*')
libc=$(dirname "$(ldd "$node" | grep -o '/[^ ]*/libc\.so\.6')")
for file in $libraries "$libc/librt.so.1" "$libc/libresolv.so.2" "$libc/libnss_dns.so.2" "$libc/libnss_files.so.2"; do
  [ -e "$file" ] || continue
  mkdir -p "$into$(dirname "$file")"
  cp -L "$file" "$into$file"
done

# Certificate authorities of the system, if the base has them, for NODE_USE_SYSTEM_CA. Node brings its own list.
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$into/etc/ssl/certs/"

echo 'parley:x:10001:10001:parley:/tmp:/usr/sbin/nologin' > "$into/etc/passwd"
echo 'parley:x:10001:' > "$into/etc/group"
echo 'hosts: files dns' > "$into/etc/nsswitch.conf"
cp -L /etc/os-release "$into/etc/os-release"

# Which packages those files are from, for SBOMs and scanners.
mkdir -p "$into/var/lib/dpkg/status.d"
for package in $(for file in $libraries; do dpkg -S "$(readlink -f "$file")" 2>/dev/null || dpkg -S "*/$(basename "$(readlink -f "$file")")"; done | cut -d: -f1 | sort -u) base-files; do
  dpkg-query --show --showformat='Package: ${Package}\nStatus: install ok installed\nArchitecture: ${Architecture}\nVersion: ${Version}\nSource: ${source:Package} (${source:Version})\nMaintainer: ${Maintainer}\nDescription: ${binary:Summary}\n' "$package" \
    > "$into/var/lib/dpkg/status.d/$package"
  [ ! -e "/usr/share/doc/$package/copyright" ] || { mkdir -p "$into/usr/share/doc/$package"; cp -L "/usr/share/doc/$package/copyright" "$into/usr/share/doc/$package/"; }
done
