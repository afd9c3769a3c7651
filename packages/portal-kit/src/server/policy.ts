import type { FastifyReply } from 'fastify';

const staticHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
};

interface PolicyOptions {
  nonce: string;
  isSecure: boolean;
  /** Extra origins for `connect-src`. */
  connect?: readonly string[];
  /** Can be framed by our own pages, such as the bot preview. */
  isFramed?: boolean;
  /** Allows the WebSocket of hot reload. */
  isDevelopment?: boolean;
}

/** Only our own scripts, by nonce. No external content, no framing. */
export function contentPolicy({ nonce, connect = [], isFramed = false, isDevelopment = false }: PolicyOptions): string {
  const directives = {
    'default-src': "'none'",
    'script-src': `'self' 'nonce-${nonce}'`,
    'style-src': `'self' 'nonce-${nonce}'`,
    'style-src-elem': isDevelopment ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`,
    // Mantine uses style attributes. They can't run code.
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
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

export function setPolicy(reply: FastifyReply, options: PolicyOptions): void {
  void reply.headers({ ...staticHeaders, 'content-security-policy': contentPolicy(options) });
  if (options.isSecure) void reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
}
