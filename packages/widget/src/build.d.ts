declare module '*.css' {
  /** Minified, for a constructed style sheet. */
  const css: string;
  export default css;
}

/** Build-time constants. A module is its file name and SHA-256. */
declare const BUILD: {
  version: string;
  chat: [string, string];
  framed: [string, string];
  /** Hash in the names of the locale files. */
  locales: string;
};
