/** A place within the portal, or its home. The server checks the same again wherever it leads somebody. */
export const safeNext = (wanted: string | null): string => {
  if (!wanted || !/^\/(?![/\\])/.test(wanted)) return '/';
  const here = 'https://portal.invalid';
  const url = URL.parse(wanted, here);
  // `/.//evil.example` becomes `//evil.example`, which a browser takes for another host.
  return url?.origin === here && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
};
