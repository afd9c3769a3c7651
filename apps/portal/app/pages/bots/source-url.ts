/** Adds a missing https://. */
export const toUrl = (typed: string) => (/^https?:\/\//i.test(typed.trim()) ? typed.trim() : `https://${typed.trim()}`);

/** The name of a source that has no other. */
export const shortOf = (url: string) =>
  url
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .slice(0, 120);
