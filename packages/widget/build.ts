// `npm run build:widget`: the widget as browsers load it. Everything but `chatbot-widget.js` is named by what is in it and
// may be kept for ever; source maps go to a folder that is not served.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, transform, type Plugin } from 'esbuild';
import { minify } from 'terser';
import { locales } from './src/shared/locale.ts';
import { english } from './src/chat/english.ts';

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string };

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 8);
const integrityOf = (bytes: string | Buffer) => `sha384-${createHash('sha384').update(bytes).digest('base64')}`;

/** Style sheets are text in a script: one request, and no policy of a page forbids them. */
const css: Plugin = {
  name: 'css',
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        loader: 'css',
        minify: true,
        target: 'chrome111',
      });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/** Properties of which only the chat's own files know: neither the page, the wire nor the other bundles. Short, they save 200 bytes. */
const innerNames = new RegExp(
  `^(${'talk leave change wake sent fail look take isResting asking following isTroubled onFailed begin tellReset hasOlder isKnown outgoing askForPerson confirmations isRated isLasting under agree ring forget onChange onNews onReset onSomebodyElse onFound endsAt pieces nameOf relabel tellFailure toggleMenu attempt menuButton talkView onErased onClose outbox streams session bell feedback turns engine cursor isNamed onLive announce control'.replaceAll(' ', '|')})$`,
);
if (Object.keys(english).some((key) => innerNames.test(key)))
  throw new Error('a text key of the chat is also a shortened property name');

export interface Built {
  /** Name to bytes, as they are served. */
  files: Map<string, Buffer>;
  version: string;
}

async function bundle(entry: string, format: 'esm' | 'iife', known: object) {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    plugins: [css],
    sourcemap: 'external',
    outdir: 'out',
    legalComments: 'none',
    define: { BUILD: JSON.stringify(known) },
  });
  const find = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  // A second pass: a twentieth less to send than esbuild alone.
  const { code = '', map } = await minify(find('.js'), {
    module: format === 'esm',
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, keep_fargs: false, pure_getters: true },
    mangle: { properties: { regex: innerNames } },
    sourceMap: { content: find('.js.map') },
  });
  return { code: Buffer.from(code), map: Buffer.from(typeof map === 'string' ? map : JSON.stringify(map)) };
}

/** In the order of the English words, without their names: see `wordsIn`. */
function wordsOf(locale: string): string {
  const words = JSON.parse(readFileSync(join(here, 'locales', `${locale}.json`), 'utf8')) as Record<string, string>;
  return JSON.stringify(Object.keys(english).map((key) => words[key] ?? null));
}

export async function buildWidget(into = join(here, 'dist'), maps = join(here, 'maps')): Promise<Built> {
  const files = new Map<string, Buffer>();
  const sources = new Map<string, Buffer>();
  const words = locales.filter((locale) => locale !== 'en').map((locale) => [locale, wordsOf(locale)] as const);
  const wordsHash = hashOf(words.flat().join('\n'));
  for (const [locale, text] of words) files.set(`${locale}.${wordsHash}.json`, Buffer.from(text));

  const add = async (name: string, entry: string, format: 'esm' | 'iife', known: object) => {
    const { code, map } = await bundle(entry, format, known);
    const file = `${name}.${hashOf(code)}.js`;
    files.set(file, code);
    sources.set(`${file}.map`, map);
    return [file, createHash('sha256').update(code).digest('base64')] as const;
  };
  const chat = await add('chat', 'chat/chat.ts', 'esm', { words: wordsHash });
  const frame = await add('frame', 'frame/frame.ts', 'esm', { words: wordsHash });
  const framed = await add('framed', 'frame/framed.ts', 'esm', { version });
  const launcher = await bundle('launcher/chatbot-widget.ts', 'iife', {
    version,
    chat,
    framed,
  });
  files.set('chatbot-widget.js', launcher.code);
  files.set(`chatbot-widget.${version}.js`, launcher.code);
  sources.set(`chatbot-widget.${version}.js.map`, launcher.map);
  const integrity = Object.fromEntries([...files].map(([name, bytes]) => [name, integrityOf(bytes)]));
  const manifest = { current: version, versions: { [version]: { frame: frame[0], files: integrity } } };
  files.set('manifest.json', Buffer.from(JSON.stringify(manifest, null, 2)));

  for (const folder of [into, maps]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  for (const [name, bytes] of sources) writeFileSync(join(maps, name), bytes);
  for (const [name, bytes] of files) {
    writeFileSync(join(into, name), bytes);
    writeFileSync(
      join(into, `${name}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
    writeFileSync(join(into, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
  return { files, version };
}

if (import.meta.main) {
  const { files } = await buildWidget();
  console.log(`Widget built: ${files.size} files.`);
}
