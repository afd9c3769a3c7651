// What a log line says about an error, and what it never says. The portals do not contain the server, so this file is also
// packages/portal-kit/src/server/log-contents.ts; a test compares the two.

/** A line is JSON: the `n` of an escaped line break is no part of a word. */
const secrets =
  /(sc_live_|pk_live_|whsec_|(?:(?<![\w-])|(?<=\\[bfnrt]))(?:sk-|AIza|eyJ|[Bb]earer |[Bb]asic ))[\w.~+/=-]{8,}/g;
const credentialsInUrl = /:\/\/[^\s/@"\\]{1,300}@/g;
const queryValues = /([?&][\w.-]{1,40}=)[^&\s"'\\<>]{1,2000}/g;
/** A safety net for keys, tokens, passwords in URLs and emails in what others write into errors: we log none of them. */
export const redact = (text: string): string =>
  redactEmails(
    text
      .replace(secrets, '$1[redacted]')
      .replace(credentialsInUrl, '://[redacted]@')
      .replace(queryValues, '$1[redacted]'),
  );

const domain = /@[\w-]+(?:\.[\w-]+)+/y;
const maxLocalPart = 64;

/** A loop, because a pattern that starts with the part before the @ doesn't take linear time. */
function redactEmails(text: string): string {
  let [clean, from] = ['', 0];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > from && at - start < maxLocalPart && /[\w.+-]/.test(text[start - 1] ?? '')) start--;
    start = afterEscape(text, start);
    domain.lastIndex = at;
    if (start >= at || !domain.test(text)) continue;
    clean += `${text.slice(from, start)}[email]`;
    from = domain.lastIndex;
  }
  return clean + text.slice(from);
}

/** Not in the middle of an escape of JSON, which would no longer be one. */
function afterEscape(text: string, index: number): number {
  for (let escape = index - 1; escape >= 0 && index - escape < 6; escape--)
    if (text[escape] === '\\') return Math.max(index, escape + (text[escape + 1] === 'u' ? 6 : 2));
  return index;
}

/** A log line is for one look: what is longer repeats what was sent to us. */
const maxMessage = 500;
const maxCauses = 4;

export interface LoggedError {
  type: string;
  message: string;
  /** Of PostgreSQL, the system, or a library. */
  code?: string;
  /** Of errors that we define. */
  reason?: string;
  /** Of PostgreSQL. */
  constraint?: string;
  stack: string;
  cause?: LoggedError;
}

/** Only known fields: others contain what was sent, such as the row of a failed statement or the prompt of a model call. */
export function describeForLog(error: unknown, causes = maxCauses): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' }; // anything may have been thrown
  const { code, reason, constraint } = error as { code?: unknown; reason?: unknown; constraint?: unknown };
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return {
    type: /^error$/i.test(error.name) ? error.constructor.name : error.name,
    message: messageOf(error, code).slice(0, maxMessage),
    ...(isName(code) && { code }),
    ...(isName(reason) && { reason }),
    ...(isName(constraint) && { constraint }),
    stack: framesOf(error.stack ?? ''),
    ...(cause instanceof Error && causes > 0 && { cause: describeForLog(cause, causes - 1) }),
  };
}

const isName = (value: unknown): value is string => typeof value === 'string' && /^[\w.-]{1,100}$/.test(value);

/** PostgreSQL quotes values that it could not convert (class 22), and JSON.parse quotes what it could not read. */
const quotesValues = (error: Error, code: unknown) =>
  error instanceof SyntaxError || (typeof code === 'string' && /^22[\dA-Z]{3}$/.test(code));

/** Without what a URL says beyond its host. */
const restOfUrl = /(https?:\/\/[^\s/"'?#]{1,255})[/?#][^\s"']{0,2000}/g;

function messageOf(error: Error, code: unknown): string {
  const message = error.message.slice(0, 20_000).replace(restOfUrl, '$1/…');
  return quotesValues(error, code) ? message.replace(/"[^]*"/, '"…"') : message;
}

/** Without the message, which a stack starts with. */
const framesOf = (stack: string) =>
  stack
    .slice(0, 20_000)
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
