declare module '*.css' {
  /** Minified, for a constructed style sheet. */
  const css: string;
  export default css;
}

/** Build-time constants. A module is the hash in its file name, and its SHA-256. */
declare const BUILD: {
  version: string;
  chat: [string, string];
  framed: [string, string];
  extras: [string, string];
  proactive: [string, string];
  /** The label of a button, by locale. */
  dismiss: Record<string, string>;
  /** Hash in the names of the locale files. */
  locales: string;
};
