import type { Finding } from './finding.ts';
import type { Snippet } from './html.ts';
import { hintOf } from './key.ts';

// What the addresses in the snippet answer, asked as a browser on that page would ask.

const timeoutMs = 15_000;
export const ask = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });

/** Why there was no answer: the innermost reason, which is what somebody can look for. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return [cause.message, code].filter(Boolean).join(', ');
}

export async function checkScript({ src, attributes }: Snippet): Promise<Finding | undefined> {
  const fix = 'Copy the address from the portal again: it ends in /cdn/chatbot-widget.js.';
  let answer: Response;
  try {
    answer = await ask(src);
  } catch (error) {
    return {
      cause: 'script_unreachable',
      message: 'The script’s address answers nobody.',
      evidence: `${src}: ${reasonOf(error)}`,
      fix: `Is the name written right, and the service up? ${fix}`,
    };
  }
  const type = answer.headers.get('content-type') ?? 'nothing';
  if (!answer.ok || !type.includes('javascript'))
    return {
      cause: 'script_not_found',
      message: answer.ok
        ? 'The script’s address answers something that is no script.'
        : 'There is no script at that address.',
      evidence: `${src} answered ${answer.status} with ${type}`,
      fix,
    };
  const { integrity } = attributes;
  if (integrity && !(await isIntact(integrity, await answer.arrayBuffer())))
    return {
      cause: 'script_changed',
      message: 'The script is not the one that the page pins, so browsers do not run it.',
      evidence: `integrity="${integrity}" fits none of what ${src} answered`,
      fix: 'Pin a version (chatbot-widget.1.0.0.js), and take its checksum from manifest.json beside it.',
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

export const setupUrlOf = ({ src, attributes }: Snippet): string =>
  new URL(`config/${attributes['data-bot-id']}?key=${attributes['data-public-key']}`, src).href;

export interface Setup {
  /** Where the chat itself will ask. */
  apiUrl: string | undefined;
  refused: Finding | undefined;
  /** The service's clock less ours, as far as it said. */
  aheadMs: number | undefined;
}

/** What the widget asks first. Whatever is wrong with key, bot and page, this is where the service says it. */
export async function askSetup(snippet: Snippet, origin: string): Promise<Setup> {
  const url = setupUrlOf(snippet);
  const answer = await ask(url, { origin }).catch((error: unknown) => reasonOf(error));
  if (typeof answer === 'string')
    return {
      apiUrl: undefined,
      aheadMs: undefined,
      refused: refusal(snippet, origin, url, { reason: answer, message: '' }),
    };
  const date = Date.parse(answer.headers.get('date') ?? '');
  const ageMs = Number(answer.headers.get('age') ?? 0) * 1_000;
  const aheadMs = Number.isNaN(date) ? undefined : date + ageMs - Date.now();
  const body = (await answer.json().catch(() => ({}))) as { apiUrl?: string; error?: Refusal };
  if (answer.ok) return { apiUrl: body.apiUrl, aheadMs, refused: undefined };
  const said = body.error ?? { reason: `status ${answer.status}`, message: '' };
  return { apiUrl: undefined, aheadMs, refused: refusal(snippet, origin, url, said) };
}

interface Refusal {
  reason: string;
  message: string;
}
type Advice = Pick<Finding, 'cause' | 'message' | 'fix'>;

function refusal({ attributes }: Snippet, origin: string, url: string, { reason, message }: Refusal): Finding {
  const botId = attributes['data-bot-id'] ?? '';
  const key = hintOf(attributes['data-public-key'] ?? '');
  const newKey =
    'Make a widget key for this bot (`parley keys create`, or the portal) and put it into data-public-key.';
  const known: Record<string, Advice> = {
    invalid_api_key: {
      cause: 'key_refused',
      message: `The service knows no widget key ${key}, or it is revoked.`,
      fix: newKey,
    },
    key_expired: {
      cause: 'key_refused',
      message: `The widget key ${key} has expired, or was rotated away.`,
      fix: newKey,
    },
    bot_mismatch: {
      cause: 'bot_mismatch',
      message: `The key is not for the bot ${botId}: that is another one, perhaps of another organisation, or there is none.`,
      fix: 'Copy key and bot together, from the same bot. A widget key is bound to one.',
    },
    bot_not_found: {
      cause: 'bot_not_found',
      message: `There is no bot ${botId} any more.`,
      fix: 'Put the id of another bot there, and a key of its own.',
    },
    bot_not_active: {
      cause: 'bot_paused',
      message: `The bot ${botId} is paused or archived.`,
      fix: 'Resume it in the portal.',
    },
    bot_not_published: {
      cause: 'bot_not_published',
      message: `The bot ${botId} is not deployed in the environment of this key.`,
      fix: 'Publish the bot and deploy it there (`parley bots publish`), or use a key of the environment where it is.',
    },
    environment_not_found: {
      cause: 'bot_not_published',
      message: `The bot ${botId} has nothing in the environment of this key.`,
      fix: 'Use a key of an environment where the bot is deployed.',
    },
    origin_not_allowed: {
      cause: 'origin_not_allowed',
      message: `The bot does not allow pages of ${origin}.`,
      fix: `Add ${origin} to the bot’s allowed origins, exactly so: scheme, host and port count.`,
    },
  };
  const advice = known[reason] ?? {
    cause: 'service_refused',
    message: 'The service refuses to set up the chat.',
    fix: 'Its answer says why. If it is a 5xx or no answer at all, look whether the service is up.',
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
    message: `The clock of this machine is ${minutes} minutes ${aheadMs > 0 ? 'behind' : 'ahead of'} the service’s.`,
    evidence: `The service says ${new Date(Date.now() + aheadMs).toISOString()}, this machine ${new Date().toISOString()}.`,
    fix: 'Set the clock by the network (NTP). Signed calls more than five minutes off are refused, and sign-ins fail.',
  };
}
