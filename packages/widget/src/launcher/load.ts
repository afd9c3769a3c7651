let attempts = 0;

/** A module of ours, with its checksum: what was changed on the way is not run. */
export async function loadModule<T>(base: string, [file, checksum]: [string, string], nonce: string): Promise<T> {
  const href = `${base}${file}?${attempts++}`; // what failed is remembered by its address, and what was changed may be kept
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
