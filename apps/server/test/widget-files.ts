import { hash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

// A folder like the build output of the widget, with placeholder files.

const sourceOf = (name: string) => `// ${name}\n`.repeat(40);
const files: Record<string, string> = Object.fromEntries(
  [
    'chatbot-widget.js',
    'chatbot-widget.1.0.0.js',
    'chatbot-widget.0.9.0.js',
    'chat.0a1b2c3d.js',
    'framed.1b2c3d4e.js',
    'frame.ab12cd34.js',
    'frame.00000009.js',
  ].map((name) => [name, sourceOf(name)]),
);
files['en.12345678.json'] = '{"open":"Open the chat"}';
export const integrityOf = (name: string) => `sha384-${hash('sha384', files[name] ?? '', 'base64')}`;
const version = (frame: string) => ({ frame, files: { [frame]: integrityOf(frame) } });
files['manifest.json'] = JSON.stringify({
  current: '1.0.0',
  versions: { '1.0.0': version('frame.ab12cd34.js'), '0.9.0': version('frame.00000009.js') },
});

export const widgetFiles: Readonly<Record<string, string>> = files;

/** The caller removes it. */
export function makeWidgetDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-widget-'));
  for (const [name, text] of Object.entries({ ...files, 'chat.0a1b2c3d.js.map': '{"sources":["secret.ts"]}' })) {
    writeFileSync(join(dir, name), text);
    writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(dir, `${name}.gz`), gzipSync(text));
  }
  return dir;
}
