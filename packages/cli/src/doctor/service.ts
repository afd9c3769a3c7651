import type { Finding } from './finding.ts';
import type { Snippet } from './html.ts';
import { hintOf } from './key.ts';

// Requests the URLs of a snippet as a browser on that page would.

const timeoutMs = 15_000;
export const request = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });

/** Why there was no response: the innermost reason, which can be searched for. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return [cause.message, code].filter(Boolean).join(', ');
}

export async function checkScript({ src, attributes }: Snippet): Promise<Finding | undefined> {
  const fix = 'Copy the script URL from the portal again. It ends in /cdn/chatbot-widget.js.';
  let response: Response;
  try {
    response = await request(src);
  } catch (error) {
    return {
      cause: 'script_unreachable',
      message: 'Can’t reach the script URL.',
      evidence: `${src}: ${reasonOf(error)}`,
      fix: `Check the domain name and that the API is running. ${fix}`,
    };
  }
  const type = response.headers.get('content-type') ?? 'no content type';
  if (!response.ok || !type.includes('javascript'))
    return {
      cause: 'script_not_found',
      message: response.ok ? 'The script URL returns something that isn’t a script.' : 'There’s no script at that URL.',
      evidence: `${src} returned ${response.status} with ${type}`,
      fix,
    };
  const { integrity } = attributes;
  if (integrity && !(await isIntact(integrity, await response.arrayBuffer())))
    return {
      cause: 'script_changed',
      message: 'The script doesn’t match its integrity attribute, so browsers don’t run it.',
      evidence: `integrity="${integrity}" doesn’t match ${src}`,
      fix: 'Pin a version (chatbot-widget.1.0.0.js) and use its checksum from manifest.json in the same folder.',
    };
  return undefined;
}

const algorithms: Record<string, string> = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
async function isIntact(integrity: string, bytes: ArrayBuffer): Promise<boolean> {
  for (const one of integrity.trim().split(/\s+/)) {
    const [name = '', expected] = one.split('-');
    const algorithm = algorithms[name];
    if (!algorithm) continue;
    const digest = await crypto.subtle.digest(algorithm, bytes);
    if (Buffer.from(digest).toString('base64') === expected) return true;
  }
  return false;
}

export const configUrlOf = ({ src, attributes }: Snippet): string =>
  new URL(`config/${attributes['data-bot-id']}?key=${attributes['data-public-key']}`, src).href;

export interface ConfigResult {
  /** The API that the chat will call. */
  apiUrl: string | undefined;
  finding: Finding | undefined;
  /** The service's clock minus ours, if known. */
  aheadMs: number | undefined;
}

/** The widget's first request. Problems with key, bot and origin show here. */
export async function requestConfig(snippet: Snippet, origin: string): Promise<ConfigResult> {
  const url = configUrlOf(snippet);
  const response = await request(url, { origin }).catch((error: unknown) => reasonOf(error));
  if (typeof response === 'string')
    return {
      apiUrl: undefined,
      aheadMs: undefined,
      finding: findingFor(snippet, origin, url, { reason: response, message: '' }),
    };
  const date = Date.parse(response.headers.get('date') ?? '');
  const ageMs = Number(response.headers.get('age') ?? 0) * 1_000;
  const aheadMs = Number.isNaN(date) ? undefined : date + ageMs - Date.now();
  const body = (await response.json().catch(() => ({}))) as { apiUrl?: string; error?: ApiErrorBody };
  if (response.ok) return { apiUrl: body.apiUrl, aheadMs, finding: undefined };
  const error = body.error ?? { reason: `status ${response.status}`, message: '' };
  return { apiUrl: undefined, aheadMs, finding: findingFor(snippet, origin, url, error) };
}

interface ApiErrorBody {
  reason: string;
  message: string;
}
type Advice = Pick<Finding, 'cause' | 'message' | 'fix'>;

function findingFor({ attributes }: Snippet, origin: string, url: string, { reason, message }: ApiErrorBody): Finding {
  const botId = attributes['data-bot-id'] ?? '';
  const key = hintOf(attributes['data-public-key'] ?? '');
  const newKey =
    'Create a public key for this bot in the portal or with `parley keys create`, and use it as data-public-key.';
  const adviceByReason: Record<string, Advice> = {
    invalid_api_key: {
      cause: 'key_refused',
      message: `The public key ${key} doesn’t exist or was revoked.`,
      fix: newKey,
    },
    key_expired: {
      cause: 'key_refused',
      message: `The public key ${key} has expired or was rotated.`,
      fix: newKey,
    },
    bot_mismatch: {
      cause: 'bot_mismatch',
      message: `The public key doesn’t belong to the bot ${botId}, or that bot doesn’t exist in this organisation.`,
      fix: 'Copy the key and bot ID from the same bot. A public key belongs to one bot.',
    },
    bot_not_found: {
      cause: 'bot_not_found',
      message: `The bot ${botId} no longer exists.`,
      fix: 'Use the ID and public key of another bot.',
    },
    bot_not_active: {
      cause: 'bot_paused',
      message: `The bot ${botId} is paused or archived.`,
      fix: 'Resume it in the portal.',
    },
    bot_not_published: {
      cause: 'bot_not_published',
      message: `The bot ${botId} isn’t deployed to this key’s environment.`,
      fix: 'Publish and deploy the bot with `parley bots publish --deploy <environment>`, or use a key for an environment where it’s deployed.',
    },
    environment_not_found: {
      cause: 'bot_not_published',
      message: `The bot ${botId} isn’t available in this key’s environment.`,
      fix: 'Use a key for an environment where the bot is deployed.',
    },
    origin_not_allowed: {
      cause: 'origin_not_allowed',
      message: `The bot doesn’t allow ${origin}.`,
      fix: `Add ${origin} to the bot’s allowed origins. Scheme, host and port must match exactly.`,
    },
  };
  const advice = adviceByReason[reason] ?? {
    cause: 'service_refused',
    message: 'The API rejected the chat configuration request.',
    fix: 'See the response for the reason. For a 5xx or no response, check that the API is running.',
  };
  return {
    ...advice,
    evidence: `GET ${url.replace(/key=.*/, `key=${key}`)} with Origin ${origin}: ${[reason, message].filter(Boolean).join(', ')}`,
  };
}

const toleranceMs = 300_000;
export function clockFinding(aheadMs: number | undefined): Finding | undefined {
  if (aheadMs === undefined || Math.abs(aheadMs) <= toleranceMs) return undefined;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return {
    cause: 'clock_off',
    message: `This machine’s clock is ${minutes} minutes ${aheadMs > 0 ? 'behind' : 'ahead of'} the API’s.`,
    evidence: `API: ${new Date(Date.now() + aheadMs).toISOString()}, this machine: ${new Date().toISOString()}.`,
    fix: 'Synchronise the clock with NTP. If it’s off by more than 5 minutes, signed requests are rejected and sign-ins fail.',
  };
}
