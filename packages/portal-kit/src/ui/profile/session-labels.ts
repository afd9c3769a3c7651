// Order matters: many user agents contain the names of other browsers.
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\//, 'Headless Chrome'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/node|undici/i, 'Script'],
];
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
const first = (list: [RegExp, string][], text: string) => list.find(([sign]) => sign.test(text))?.[1];

/** "Firefox on Windows". The full user agent is shown on hover. */
export function browserOf(userAgent: string): string {
  const browser = first(browsers, userAgent) ?? 'Unknown browser';
  const system = first(systems, userAgent);
  return system ? `${browser} on ${system}` : browser;
}

const methods: Record<string, string> = {
  pwd: 'password',
  otp: 'authenticator app',
  recovery: 'recovery code',
  passkey: 'passkey',
};
export const methodsOf = (used: readonly string[]): string =>
  new Intl.ListFormat('en').format(used.map((method) => methods[method] ?? method)) || '–';
