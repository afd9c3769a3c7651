declare module '*.css' {
  /** As one line, ready for a constructed style sheet. */
  const css: string;
  export default css;
}

/** Known when it is built. A module is its file and the SHA-256 of it. */
declare const BUILD: {
  version: string;
  chat: [string, string];
  framed: [string, string];
  /** Of the locale files. */
  words: string;
};
