#!/usr/bin/env bash
# `programs.sh PACKAGE…`: unpacks Debian packages without installing them, because that would start servers and bring 400 MB
# of other things. Prints the folder of their programs.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .stack/monitoring
cd .stack/monitoring
for package; do
  [ -e "$package.unpacked" ] && continue
  apt-get download -q "$package" >/dev/null 2>&1
  dpkg -x "$package"_*.deb .
  rm "$package"_*.deb
  touch "$package.unpacked"
done
# Debian's Alertmanager reads its templates from nowhere else.
templates=usr/share/prometheus/alertmanager
if [ -e $templates ] && [ ! -e /$templates ] && [ -w /usr/share ]; then
  mkdir -p "/$templates"
  cp $templates/*.tmpl "/$templates/"
fi
echo "$PWD/usr/bin"
