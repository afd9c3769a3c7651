import { encode } from 'uqr';
import { html, type Html } from './html.ts';

/** A QR code as one path with a rectangle per run of dark modules, a third of the size of one square per module. */
export function qrCode(text: string): Html {
  const border = 3; // the quiet zone for scanners; the panel adds more
  const { data, size } = encode(text, { ecc: 'M', border });
  const path = data.map((row, y) => rowPath(row, y)).join('');
  return html`<svg viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" aria-hidden="true" focusable="false">
    <path fill="#FFF" d="M0 0h${size}v${size}H0z" />
    <path fill="#000" d="${path}" />
  </svg>`;
}

function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const start = x;
    while (row[x + 1]) x++;
    path += `M${start} ${y}h${x - start + 1}v1H${start}z`;
  }
  return path;
}
