import type { Bom } from './sbom.ts';

export interface DebianPackage {
  name: string;
  version: string;
  arch: string;
}

/** From the records of dpkg: `status`, or all files of `status.d` one after the other. */
export function parseDpkgStatus(text: string): DebianPackage[] {
  return text.split(/\n(?=Package: )/).flatMap((record) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(record)?.[1] ?? '';
    const isInstalled = field('Status') === 'install ok installed';
    return isInstalled ? [{ name: field('Package'), version: field('Version'), arch: field('Architecture') }] : [];
  });
}

interface Image {
  name: string;
  version: string;
  /** The Debian release, such as `13`. */
  release: string;
  packages: readonly DebianPackage[];
  /** Programs that are not from a Debian package. */
  programs: readonly { name: string; version: string }[];
  /** What was bundled into the image. */
  bundled: readonly Bom[];
}

/** All components of an image: those of the bundles, the Debian packages, and programs that are in neither. */
export function imageBom({ name, version, release, packages, programs, bundled }: Image) {
  const system = packages.map((one) => {
    const purl = `pkg:deb/debian/${one.name}@${encodeURIComponent(one.version)}?arch=${one.arch}&distro=debian-${release}`;
    return { 'bom-ref': purl, type: 'library', name: one.name, version: one.version, purl };
  });
  const others = programs.map((one) => {
    const purl = `pkg:generic/${one.name}@${one.version}`;
    return { 'bom-ref': purl, type: 'application', name: one.name, version: one.version, purl };
  });
  const components = [...bundled.flatMap((bom) => bom.components), ...others, ...system];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { 'bom-ref': `pkg:oci/${name}@${version}`, type: 'container', name: `parley/${name}`, version },
    },
    components: [...new Map(components.map((one) => [one['bom-ref'], one])).values()],
  };
}
