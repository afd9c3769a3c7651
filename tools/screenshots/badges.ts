import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../demo/processes.ts';

interface Manifest {
  license: string;
  version: string;
  engines: { node: string };
}

/** The values of the README's badges, from package.json. A version is released once the changelog has a section for it. */
export function badges(): { name: string; label: string; value: string }[] {
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest;
  const isReleased = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8').includes(`\n## [${manifest.version}]`);
  return [
    { name: 'licence', label: 'licence', value: manifest.license },
    { name: 'node', label: 'Node.js', value: manifest.engines.node.replace('>=', '').split('.')[0] ?? '' },
    { name: 'status', label: 'status', value: isReleased ? manifest.version : 'not released' },
  ];
}

/** Drawn here rather than by a badge service, so that reading the README contacts no third party. */
export function draw({ label, value }: { label: string; value: string }): string {
  const width = (text: string) => Math.round(text.length * 6.5) + 14;
  const [left, right] = [width(label), width(value)];
  const text = (x: number, length: number, content: string) =>
    `<text x="${x}" y="14" textLength="${length - 14}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}">
<rect width="${left + right}" height="20" rx="4" fill="#0F766E"/>
<path d="M4 0h${left - 4}v20H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#475569"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
${text(7, left, label)}
${text(left + 7, right, value)}
</g>
</svg>
`;
}

export function writeBadges(folder: string) {
  for (const badge of badges()) writeFileSync(join(folder, `badge-${badge.name}.svg`), draw(badge));
}
