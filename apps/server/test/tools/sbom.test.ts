import { expect, test } from 'vitest';
import { imageBom, parseDpkgStatus } from '../../../../tools/supply-chain/image-sbom.ts';
import { addFolder, Bom, bomOf } from '../../../../tools/supply-chain/sbom.ts';

const component = (ref: string, name = ref.slice(0, ref.lastIndexOf('@'))) => ({
  'bom-ref': ref,
  name,
  version: ref.slice(ref.lastIndexOf('@') + 1),
});
const everything = Bom.parse({
  bomFormat: 'CycloneDX',
  metadata: { component: component('root@0.0.0') },
  // npm names our own packages by their folder
  components: [
    component('@parley/server@0.0.0', 'server'),
    component('@parley/kit@0.0.0', 'kit'),
    ...['fastify@5.0.0', 'pino@10.0.0', 'vitest@5.0.0', 'vite@8.0.0', 'react@19.0.0'].map((ref) => component(ref)),
  ],
  dependencies: [
    { ref: '@parley/server@0.0.0', dependsOn: ['fastify@5.0.0', '@parley/kit@0.0.0', 'vitest@5.0.0'] },
    { ref: '@parley/kit@0.0.0', dependsOn: ['react@19.0.0', 'vite@8.0.0'] },
    { ref: 'fastify@5.0.0', dependsOn: ['pino@10.0.0'] },
    { ref: 'pino@10.0.0', dependsOn: ['fastify@5.0.0'] },
    { ref: 'vitest@5.0.0', dependsOn: ['vite@8.0.0'] },
  ],
});
const server = { name: '@parley/server', version: '0.0.0', dependencies: { fastify: '5.0.0', '@parley/kit': '*' } };
const kit = { name: '@parley/kit', version: '0.0.0', dependencies: { react: '19.0.0' } };

test('lists runtime dependencies, also through our own packages, and no development dependencies', () => {
  const bom = bomOf(everything, server, [server, kit]);
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: '@parley/server' } } });
  expect(bom.components.map((one) => one['bom-ref'])).toEqual([
    '@parley/kit@0.0.0',
    'fastify@5.0.0',
    'pino@10.0.0',
    'react@19.0.0',
  ]);
  const refs = new Set([...bom.components.map((one) => one['bom-ref']), '@parley/server@0.0.0']);
  for (const { ref, dependsOn } of bom.dependencies) for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
});

test('adds the packages of a folder with its own lockfile, each once', () => {
  const folder = Bom.parse({
    metadata: { component: component('runtime@0.0.0') },
    components: ['native@1.0.0', 'pino@10.0.0'].map((ref) => component(ref)),
    dependencies: [
      { ref: 'runtime@0.0.0', dependsOn: ['native@1.0.0'] },
      { ref: 'native@1.0.0', dependsOn: ['pino@10.0.0'] },
      { ref: 'pino@10.0.0', dependsOn: [] },
    ],
  });
  const bom = bomOf(everything, server, [server, kit]);
  const { components, dependencies } = addFolder(bom, folder);
  const added = ['runtime@0.0.0', 'native@1.0.0'];
  expect(components.map((one) => one['bom-ref'])).toEqual([...bom.components.map((one) => one['bom-ref']), ...added]);
  expect(dependencies).toHaveLength(bom.dependencies.length + added.length);
  expect(dependencies.find(({ ref }) => ref === '@parley/server@0.0.0')?.dependsOn).toContain('runtime@0.0.0');
});

test('fails when npm omits a dependency', () => {
  const more = { ...server, dependencies: { ...server.dependencies, zod: '4.0.0' } };
  expect(() => bomOf(everything, more, [more, kit])).toThrow('npm lists 2 of 3 dependencies');
});

const dpkg = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.41-12+deb13u4
Description: GNU C Library
 Package: not a record, but part of the description

Package: removed
Status: deinstall ok config-files
Architecture: amd64
Version: 1
`;

test('lists the installed Debian packages of an image and each bundled component once', () => {
  expect(parseDpkgStatus(dpkg)).toEqual([{ name: 'libc6', version: '2.41-12+deb13u4', arch: 'amd64' }]);
  const bom = bomOf(everything, server, [server, kit]);
  const image = imageBom({
    name: 'server',
    version: '1.2.0',
    release: '13',
    packages: parseDpkgStatus(dpkg),
    programs: [{ name: 'node', version: '24.21.0' }],
    bundled: [bom, bom],
  });
  expect(image.components.map((one) => one['bom-ref'])).toEqual([
    ...bom.components.map((one) => one['bom-ref']),
    'pkg:generic/node@24.21.0',
    'pkg:deb/debian/libc6@2.41-12%2Bdeb13u4?arch=amd64&distro=debian-13',
  ]);
});
