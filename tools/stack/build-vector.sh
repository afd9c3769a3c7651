#!/bin/sh
# PostgreSQL with the `vector` extension, for tests: a copy of Debian's PostgreSQL 15, with pgvector compiled from the
# sources that Debian keeps. PostgreSQL locates its files relative to its programs, so the copy works anywhere.
# Takes about ten seconds, needs gcc, and changes nothing outside .stack/pgvector.
set -eu
version=15
target=${1:-$(cd "$(dirname "$0")/../.." && pwd)/.stack/pgvector}
if [ -f "$target/share/postgresql/$version/extension/vector.control" ]; then exit 0; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl -fsSL -o pgvector.tar.gz http://deb.debian.org/debian/pool/main/p/pgvector/pgvector_0.8.0.orig.tar.gz
echo "867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0  pgvector.tar.gz" | sha256sum -c - >/dev/null
apt-get -qq download "postgresql-server-dev-$version" 2>/dev/null
mkdir pgvector headers
tar xf pgvector.tar.gz -C pgvector --strip-components=1
dpkg-deb -x postgresql-server-dev-*.deb headers
mkdir -p "$target/lib/postgresql" "$target/share/postgresql"
cp -r "/usr/lib/postgresql/$version" "$target/lib/postgresql/"
cp -r "/usr/share/postgresql/$version" "$target/share/postgresql/"
gcc -O2 -ftree-vectorize -fno-math-errno -fPIC -shared -I "headers/usr/include/postgresql/$version/server" \
  -o "$target/lib/postgresql/$version/lib/vector.so" pgvector/src/*.c -lm
cp pgvector/sql/vector.sql "$target/share/postgresql/$version/extension/vector--0.8.0.sql"
cp pgvector/vector.control "$target/share/postgresql/$version/extension/"
