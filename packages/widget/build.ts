// `npm run build:widget`: builds the files that browsers load. All names except `chatbot-widget.js` contain a hash or
// version, so they can be cached as immutable. Source maps go to a folder that is not served.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, transform, type Plugin } from 'esbuild';
import { minify } from 'terser';
import { locales } from './src/shared/locale.ts';
import { english as chatEnglish } from './src/chat/english.ts';
import { english as extraEnglish } from './src/extras/english.ts';

const here = import.meta.dirname;
/** In the order of the locale files: the chat's own first, since it does not know the others. */
const english: Record<string, string> = { ...chatEnglish, ...extraEnglish };
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string };

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 8);
const integrityOf = (bytes: string | Buffer) => `sha384-${createHash('sha384').update(bytes).digest('base64')}`;

/** Inlines style sheets as text: saves a request, and constructed style sheets work under any CSP. */
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

/**
 * Properties used only by our bundles, not by the page or the API. Shortening them saves 500 bytes. The names are the same
 * in all bundles of a version, which call each other.
 */
const mangledNames = new RegExp(
  `^(${'currentConversation leave change wake sent fail syncTabs applyEvent takeLead isPaused stopReply follower hasTrouble onFailed startConversation notifyReset hasOlder canResume outgoing askForPerson confirmations isRated isPersistent keysWithPrefix setConsent wakeAll onChange onEvent onReset onUserChange onConversation endsAt listItems nameOf relabel showFailure toggleMenu attempt menuButton conversationView onErased onClose outbox streams session wakeup feedback turns client cursor isIdentified onLive announce abortController chatStorage postToTabs onTabMessage describeError partial userId isConsentNeeded focusButton isReturning hasChatted isUnknown isResumed markSeen notifyTyping messagesOf setAbout writes readSeq isAsking endGroup messageItems loadExtras showStatus isStream retryAfter problem typingAgent setTyping'.replaceAll(' ', '|')})$`,
);
if (Object.keys(english).some((key) => mangledNames.test(key)))
  throw new Error('a text key of the chat is also a shortened property name');

/** Names that are not shortened, and that no other may become. */
const reserved = ['n', 'q', 'at'];

export interface BuildResult {
  /** Served bytes by file name. */
  files: Map<string, Buffer>;
  version: string;
}

async function bundle(entry: string, format: 'esm' | 'iife', define: object, names: { props?: object }) {
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
    define: { BUILD: JSON.stringify(define) },
  });
  const find = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const nameCache: { props?: object } = { ...names };
  // A second pass saves 5 % over esbuild alone.
  const { code = '', map } = await minify(find('.js'), {
    module: format === 'esm',
    ecma: 2020,
    compress: {
      passes: 5,
      keep_fargs: false,
      pure_getters: true,
      hoist_funs: true,
      // Unsafe only for code that replaces built-ins, or compares objects with >.
      unsafe: true,
      unsafe_arrows: true,
      unsafe_comps: true,
    },
    mangle: { properties: { regex: mangledNames, reserved } },
    nameCache,
    sourceMap: { content: find('.js.map') },
  });
  Object.assign(names, { props: nameCache.props });
  return { code: Buffer.from(code), map: Buffer.from(typeof map === 'string' ? map : JSON.stringify(map)) };
}

const textsOf = (locale: string): Record<string, string> =>
  locale === 'en' ? english : JSON.parse(readFileSync(join(here, 'locales', `${locale}.json`), 'utf8'));

/** Values only, in the order of the English keys: see `loadLabels`. */
function localeJson(locale: string): string {
  const texts = textsOf(locale);
  return JSON.stringify(Object.keys(english).map((key) => texts[key] ?? null));
}

export async function buildWidget(into = join(here, 'dist'), maps = join(here, 'maps')): Promise<BuildResult> {
  const files = new Map<string, Buffer>();
  const sources = new Map<string, Buffer>();
  const localeFiles = locales
    .filter((locale) => locale !== 'en')
    .map((locale) => [locale, localeJson(locale)] as const);
  const localesHash = hashOf(localeFiles.flat().join('\n'));
  for (const [locale, text] of localeFiles) files.set(`${locale}.${localesHash}.json`, Buffer.from(text));

  const names = {};
  const add = async (name: string, entry: string, format: 'esm' | 'iife', define: object) => {
    const { code, map } = await bundle(entry, format, define, names);
    const hash = hashOf(code);
    const file = `${name}.${hash}.js`;
    files.set(file, code);
    sources.set(`${file}.map`, map);
    return { file, module: [hash, createHash('sha256').update(code).digest('base64')] };
  };
  const dismiss = Object.fromEntries(locales.map((locale) => [locale, textsOf(locale)['dismiss']]));
  const { module: extras } = await add('extras', 'extras/extras.ts', 'esm', {});
  const { module: proactive } = await add('proactive', 'proactive/proactive.ts', 'esm', { dismiss });
  const { module: chat } = await add('chat', 'chat/chat.ts', 'esm', { locales: localesHash, extras });
  const frame = await add('frame', 'frame/frame.ts', 'esm', { locales: localesHash, extras });
  const { module: framed } = await add('framed', 'frame/framed.ts', 'esm', { version });
  const modules = { version, chat, framed, proactive };
  const launcher = await bundle('launcher/chatbot-widget.ts', 'iife', modules, names);
  files.set('chatbot-widget.js', launcher.code);
  files.set(`chatbot-widget.${version}.js`, launcher.code);
  sources.set(`chatbot-widget.${version}.js.map`, launcher.map);
  const integrity = Object.fromEntries([...files].map(([name, bytes]) => [name, integrityOf(bytes)]));
  const manifest = { current: version, versions: { [version]: { frame: frame.file, files: integrity } } };
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
