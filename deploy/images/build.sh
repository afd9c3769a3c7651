#!/usr/bin/env bash
# Builds the images: `deploy/images/build.sh`, or some of them: `deploy/images/build.sh server portals`.
#
#   VERSION    the product's version and the tag; default: the one in package.json
#   PLATFORM   default: this machine's, such as linux/amd64. With several, separated by commas, uses buildx and pushes
#   PREFIX     the registry and folder of the images; default: parley
#   BASE       an image with Node 24; default: node:24-slim. For a release, name it by digest
#   DEBIAN     the base of PostgreSQL; default: debian:trixie-slim
#   CADDY      the web server of the documentation; default: caddy:2.10
#   LOCAL=1    no registry: bases and third-party servers come from Debian's mirror and npm
#   SKIP_BUILD=1  takes the result of the last `npm run build`
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

VERSION=${VERSION:-$(node -p 'require("./package.json").version')}
PLATFORM=${PLATFORM:-linux/$(dpkg --print-architecture 2>/dev/null || docker version --format '{{.Server.Arch}}')}
PREFIX=${PREFIX:-parley}
context=deploy/images/.context
[[ $VERSION =~ ^[0-9A-Za-z][0-9A-Za-z.-]{0,63}$ ]] || { echo "VERSION is not a tag: $VERSION" >&2; exit 2; }

# The time of the commit, so that the same commit gives the same labels.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
labels=(
  --build-arg "VERSION=$VERSION"
  --build-arg "REVISION=$(git rev-parse HEAD)"
  --build-arg "CREATED=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
  --build-arg "SOURCE=${SOURCE:-$(git remote get-url origin 2>/dev/null || true)}"
)

build() { # NAME CONTAINERFILE [OPTION…]
  local name=$1 file=$2
  shift 2
  if [[ $PLATFORM == *,* ]]; then
    docker buildx build --platform "$PLATFORM" --push -t "$PREFIX/$name:$VERSION" -f "$file" "${labels[@]}" "$@" "$context/$name"
  else
    # Docker's older builder knows no platforms.
    docker build --quiet -t "$PREFIX/$name:$VERSION" -f "$file" --build-arg "TARGETARCH=${PLATFORM#*/}" "${labels[@]}" "$@" "$context/$name" >/dev/null
  fi
  echo "$PREFIX/$name:$VERSION  $(docker image inspect --format '{{.Size}}' "$PREFIX/$name:$VERSION" 2>/dev/null | numfmt --to=si || true)"
}

from_npm() { # PACKAGE FILE INTO: a file of a package in the lockfile, also one for another platform
  local folder
  folder=$(mktemp -d)
  node -e 'import(process.argv[1]).then(({ fetchPackage }) => fetchPackage(".", ...process.argv.slice(2)))' \
    "$PWD/deploy/images/fetch-package.ts" "$1" "$folder"
  cp "$folder/$2" "$3"
  rm -rf "$folder"
}

# Of another architecture than this machine's, it runs under qemu (packages qemu-user-static and binfmt-support).
bases_from_debian() {
  local arch=${PLATFORM#*/}
  if ! docker image inspect "parley/debian:trixie-$arch" >/dev/null 2>&1; then
    local tar=$context/debian/debian.tar
    mkdir -p "$context/debian"
    mmdebstrap --architectures="$arch" --variant=minbase --include=ca-certificates \
      --dpkgopt='path-exclude=/usr/share/{doc,man,info,locale}/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
      trixie "$tar"
    docker import --change 'CMD ["/bin/sh"]' "$tar" "parley/debian:trixie-$arch" >/dev/null
    rm "$tar"
  fi
  DEBIAN=parley/debian:trixie-$arch
  mkdir -p "$context/base"
  from_npm "node-linux-${arch/amd64/x64}" bin/node "$context/base/node"
  build base deploy/images/local/base.Containerfile --build-arg "DEBIAN=$DEBIAN"
  BASE=$PREFIX/base:$VERSION
}

mkdir -p "$context"
images=("$@")
[ $# -gt 0 ] || images=(server portals docs postgres)
if [ "${LOCAL:-}" ]; then
  bases_from_debian
  [ $# -gt 0 ] || images=(server portals caddy docs postgres valkey restate)
  CADDY=${CADDY:-$PREFIX/caddy:$VERSION}
fi
[ "${SKIP_BUILD:-}" ] || PARLEY_VERSION=$VERSION npm run --silent build

for image in "${images[@]}"; do
  case $image in
    server | portals)
      node deploy/images/context.ts --version "$VERSION" --platforms "$PLATFORM" "$image"
      build "$image" "deploy/images/$image.Containerfile" ${BASE:+--build-arg "BASE=$BASE"}
      [[ $image != server || $PLATFORM == *,* ]] || docker run --rm -i --network none --read-only --entrypoint /usr/local/bin/node \
        "$PREFIX/$image:$VERSION" --input-type=module - < deploy/images/import-all.js
      ;;
    docs)
      node deploy/images/context.ts --version "$VERSION" docs
      build docs deploy/images/docs.Containerfile ${CADDY:+--build-arg "CADDY=$CADDY"}
      ;;
    postgres)
      mkdir -p "$context/postgres" && cp deploy/images/postgres-entrypoint.sh "$context/postgres/"
      build postgres deploy/images/postgres.Containerfile ${DEBIAN:+--build-arg "DEBIAN=$DEBIAN"}
      ;;
    caddy | valkey | restate)
      mkdir -p "$context/$image"
      if [ "$image" = restate ]; then
        cp deploy/images/minimal-root.sh "$context/restate/"
        arch=${PLATFORM#*/}
        from_npm "@restatedev/restate-server-linux-${arch/amd64/x64}" bin/restate-server "$context/restate/restate-server"
      fi
      build "$image" "deploy/images/local/$image.Containerfile" --build-arg "DEBIAN=${DEBIAN:-debian:trixie-slim}"
      ;;
    *) echo "There is no image named $image." >&2; exit 2 ;;
  esac
done
