import type { FastifyReply } from 'fastify';

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
};

interface Wanted {
  nonce: string;
  isSecure: boolean;
  /** Other origins that a page of this kind speaks to. */
  connect?: readonly string[];
  /** Shown within our own pages, such as the preview of a bot. */
  isFramed?: boolean;
  /** Reload during development speaks over a socket. */
  isDevelopment?: boolean;
}

/** Scripts of ours alone, told by the nonce; nothing from elsewhere, and nobody frames us. */
export function contentPolicy({ nonce, connect = [], isFramed = false, isDevelopment = false }: Wanted): string {
  const rules = {
    'default-src': "'none'",
    'script-src': `'self' 'nonce-${nonce}'`,
    'style-src': `'self' 'nonce-${nonce}'`,
    'style-src-elem': isDevelopment ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`,
    // The components place things by style attributes, which carry no code and reach nothing outside.
    'style-src-attr': "'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': ["'self'", ...connect, ...(isDevelopment ? ['ws:'] : [])].join(' '),
    'frame-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': isFramed ? "'self'" : "'none'",
  };
  return Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

export function setPolicy(reply: FastifyReply, wanted: Wanted): void {
  void reply.headers({ ...always, 'content-security-policy': contentPolicy(wanted) });
  if (wanted.isSecure) void reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
}
