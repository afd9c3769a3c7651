/** A path in this portal, or `/`. The server checks redirects again. */
export const safeNext = (path: string | null): string => {
  if (!path || !/^\/(?![/\\])/.test(path)) return '/';
  const base = 'https://portal.invalid';
  const url = URL.parse(path, base);
  // `/.//evil.example` normalises to `//evil.example`, which browsers treat as another host.
  return url?.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
};
