import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../platform/errors.ts';
import { cacheControl, etagOf } from '../../platform/http/caching.ts';
import type { FileVariant, ServedFile } from '../../platform/http/file.ts';
import type { Log } from '../../platform/telemetry.ts';
import { Manifest } from './widget-delivery.contract.ts';

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
};
/** Files whose content changes under the same name. All others have their version or hash in the name. */
const stable = new Set(['chatbot-widget.js', 'manifest.json']);
const shortLived = cacheControl({ seconds: 300, staleSeconds: 86_400 });
const immutable = 'public, max-age=31536000, immutable';

const forms = [
  ['br', '.br'],
  ['gzip', '.gz'],
  [null, ''],
] as const;

/** Reads the built widget once: a dozen small files. Requested names are map keys and never become paths. */
export function readWidget(dir: string, log: Log) {
  const bytes = readFolder(dir);
  const files = new Map(
    [...bytes.keys()].filter((name) => !/\.(br|gz)$/.test(name)).map((name) => [name, toFile(name, bytes)]),
  );
  const manifest = readManifest(bytes.get('manifest.json'));
  if (!manifest.success)
    log.warn({ dir, err: manifest.error }, 'widget not built: pages cannot load it; run npm run build:widget');
  return {
    find(name: string): ServedFile {
      const file = files.get(name);
      if (file) return file;
      if (files.size === 0) throw notBuilt();
      throw new AppError('NOT_FOUND', 'file_not_found', 'The widget has no file with this name.');
    },
    /** The frame's script and its hash, for that version if available, otherwise for the current one. */
    frameScript(version: string | undefined): { name: string; integrity: string } {
      const { versions = {}, current = '' } = manifest.data ?? {};
      const chosen = version !== undefined && Object.hasOwn(versions, version) ? version : current;
      const { frame: name, files: hashes } = versions[chosen] ?? {};
      const integrity = name === undefined ? undefined : hashes?.[name];
      if (name === undefined || integrity === undefined) throw notBuilt();
      return { name, integrity };
    },
  };
}

const notBuilt = () =>
  new AppError('NOT_FOUND', 'widget_not_built', 'The widget is not built. Run its build, then restart the API.');

/** All files except source maps, which are not served. */
function readFolder(dir: string): Map<string, Buffer> {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && !/\.map(\.(br|gz))?$/.test(entry.name));
    return new Map(names.map(({ name }) => [name, readFileSync(join(dir, name))]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}

function toFile(name: string, bytes: ReadonlyMap<string, Buffer>): ServedFile {
  return {
    mediaType: mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    cacheControl: stable.has(name) ? shortLived : immutable,
    variants: forms.flatMap(([encoding, ending]): FileVariant[] => {
      const form = bytes.get(`${name}${ending}`);
      return form ? [{ encoding, bytes: form, etag: etagOf(form) }] : [];
    }),
  };
}

function readManifest(bytes: Buffer | undefined) {
  try {
    return Manifest.safeParse(JSON.parse(bytes?.toString('utf8') ?? 'null'));
  } catch (error) {
    return { success: false, data: undefined, error };
  }
}
