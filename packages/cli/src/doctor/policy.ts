// Evaluates a Content Security Policy (https://www.w3.org/TR/CSP3/), as far as the chat needs it.

export type LoadDirective = 'script-src' | 'connect-src' | 'frame-src';

const fallbacks: Record<LoadDirective, string[]> = {
  'script-src': ['script-src-elem', 'script-src', 'default-src'],
  'connect-src': ['connect-src', 'default-src'],
  'frame-src': ['frame-src', 'child-src', 'default-src'],
};

/** The directive that blocks it, as the page wrote it; null if all policies allow it. */
export function forbiddenBy(
  policies: readonly string[],
  use: LoadDirective,
  url: string,
  pageUrl: string,
  nonce = '',
): string | null {
  for (const policy of policies) {
    const directives = directivesOf(policy);
    const name = fallbacks[use].find((one) => directives.has(one));
    const sources = name === undefined ? undefined : directives.get(name);
    if (sources && !allows(sources, use, new URL(url), new URL(pageUrl), nonce)) return `${name} ${sources.join(' ')}`;
  }
  return null;
}

/** The matching directive of a policy. */
export function ruleIn(policy: string, directive: string): string {
  const directives = directivesOf(policy);
  const name = [
    ...(fallbacks[directive.replace(/-(elem|attr)$/, '') as LoadDirective] ?? [directive, 'default-src']),
  ].find((one) => directives.has(one));
  return name === undefined ? policy : [name, ...(directives.get(name) ?? [])].join(' ');
}

/** The first of duplicate directives counts. */
function directivesOf(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>();
  for (const part of policy.split(';')) {
    const [name = '', ...sources] = part.trim().split(/\s+/);
    const key = name.toLowerCase();
    if (key && !directives.has(key)) directives.set(key, sources);
  }
  return directives;
}

function allows(sources: readonly string[], use: LoadDirective, url: URL, page: URL, nonce: string): boolean {
  if (use === 'script-src') {
    if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
    if (sources.includes("'strict-dynamic'")) return false; // URLs are ignored then
  }
  return sources.some((source) => matches(source, url, page));
}

function matches(source: string, url: URL, page: URL): boolean {
  if (source === "'self'") return isUpgrade(page.protocol, url.protocol) && url.host === page.host;
  if (source === '*') return /^https?:$/.test(url.protocol);
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return isUpgrade(source.toLowerCase(), url.protocol);
  const parts = /^(?:([a-z][a-z\d+.-]*):\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source);
  if (!parts) return false;
  const [, scheme, host = '', port, path] = parts;
  return (
    isUpgrade(scheme ? `${scheme.toLowerCase()}:` : page.protocol, url.protocol) &&
    isHost(host.toLowerCase(), url.hostname) &&
    (port === '*' || (port ?? defaultPort(url.protocol)) === (url.port || defaultPort(url.protocol))) &&
    (!path || (path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path))
  );
}

/** An http: source also allows https:. */
const isUpgrade = (allowed: string, used: string) => allowed === used || (allowed === 'http:' && used === 'https:');
const isHost = (allowed: string, host: string) =>
  allowed === '*' || (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed);
const defaultPort = (protocol: string) => (protocol === 'https:' ? '443' : '80');
