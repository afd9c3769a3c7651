#!/usr/bin/env bash
# Makes a release in dist/release/VERSION: images, npm packages, an archive for machines without a network, software bills of
# materials, checksums and their signature.
#
#   VERSION, LOCAL, BASE, …  see deploy/images/build.sh
#   SKIP_IMAGES=1            takes the images of VERSION that docker already has
#   COSIGN_KEY               the private key that signs the checksums, as a file or a KMS URI; COSIGN_PASSWORD opens it.
#                            Without one, a new key signs and is thrown away: good for a drill, not for publishing.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"
export VERSION=${VERSION:-$(node -p 'require("./package.json").version')}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
PREFIX=${PREFIX:-parley}
out=$PWD/dist/release/$VERSION
rm -rf "$out"
mkdir -p "$out/sbom" "$out/npm"

[ "${SKIP_IMAGES:-}" ] || deploy/images/build.sh
images=(server portals docs postgres)
[ -z "${LOCAL:-}" ] || images+=(valkey restate caddy)

echo 'Software bills of materials'
npm run --silent build:sbom
for image in "${images[@]}"; do node deploy/images/sbom.ts "$PREFIX/$image:$VERSION" "$out/sbom/$image.cdx.json"; done

echo 'npm packages'
for package in sdk cli widget; do (cd "packages/$package" && npm pack --silent --pack-destination "$out/npm" | tail -1); done

echo 'Images'
tags=("${images[@]/#/$PREFIX/}")
docker save --output "$out/images.tar" "${tags[@]/%/:$VERSION}"

# Everything that an installation without a network needs. The sentence model is in the server's image; models that write
# answers are services that the configuration names.
echo 'Archive for machines without a network'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/parley-$VERSION
mkdir "$root"
for part in compose backup monitoring samples; do [ ! -d "deploy/$part" ] || git archive HEAD "deploy/$part" | tar -x --strip-components=1 -C "$root"; done
[ ! -d "$root/compose" ] || echo "$VERSION" > "$root/compose/VERSION"
cp -r apps/docs/dist "$root/docs"
cp -r "$out/npm" "$out/sbom" LICENSE "$root/"
ln "$out/images.tar" "$root/images.tar" 2>/dev/null || cp "$out/images.tar" "$root/"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$folder" -c "parley-$VERSION" |
  gzip -n -4 > "$out/parley-$VERSION-airgapped.tar.gz"

echo 'Checksums and signature'
cd "$out"
find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
if [ -z "${COSIGN_KEY:-}" ]; then
  (cd "$folder" && COSIGN_PASSWORD='' cosign generate-key-pair >/dev/null 2>&1)
  COSIGN_KEY=$folder/cosign.key
  export COSIGN_PASSWORD=''
  echo 'COSIGN_KEY is not set: signed with a key that was made for this run and is thrown away.'
fi
cosign public-key --key "$COSIGN_KEY" > cosign.pub
# Without the public log of signatures, which needs a network.
cosign sign-blob --yes --tlog-upload=false --key "$COSIGN_KEY" --output-signature SHA256SUMS.sig SHA256SUMS >/dev/null 2>&1
cosign verify-blob --insecure-ignore-tlog=true --key cosign.pub --signature SHA256SUMS.sig SHA256SUMS
du -ah --max-depth=1 . | sort -k2
