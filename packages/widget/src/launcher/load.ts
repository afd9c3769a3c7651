import type { ModuleHashes } from '../shared/shell.ts';

let attempts = 0;

/** Imports a module with an integrity check: a modified file is not run. */
export async function loadModule<T>(
  base: string,
  name: string,
  [hash, checksum]: ModuleHashes,
  nonce: string,
): Promise<T> {
  const href = `${base}${name}.${hash}.js?${attempts++}`; // browsers cache failed imports by URL, and a modified file may be cached
  const link = document.createElement('link');
  Object.assign(link, { rel: 'modulepreload', href, integrity: `sha256-${checksum}`, crossOrigin: '', nonce });
  if (link.relList.supports('modulepreload'))
    await new Promise((done, fail) => {
      link.onload = done;
      link.onerror = fail;
      document.head.append(link);
    }).finally(() => link.remove());
  return import(href) as Promise<T>;
}
