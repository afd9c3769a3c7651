import { html, type Html } from './html/html.ts';
import { warningIcon } from './html/icons.ts';
import type { FieldName, Problem, Reason, Texts } from './locale/texts.ts';

export interface PageError {
  reason: string;
  retryAfterSeconds?: number | undefined;
  field?: FieldName | undefined;
}

/** For whoever does not say which field it is. */
const usualField: Partial<Record<string, FieldName>> = {
  invalid_credentials: 'password',
  invalid_code: 'code',
  password_too_short: 'password',
  password_too_common: 'password',
  password_too_long: 'password',
  password_contains_email: 'password',
  email_domain_blocked: 'email',
} satisfies Partial<Record<Reason, FieldName>>;

/** The words for an error. A reason that we have no words for is told as an unexpected one. */
export function describeProblem(t: Texts, error: PageError, minLength?: number): Problem {
  const reason = (Object.hasOwn(t.errors, error.reason) ? error.reason : 'unexpected') as Reason;
  return t.errors[reason]({
    minLength,
    wait: error.retryAfterSeconds === undefined ? undefined : waitInWords(t.locale, error.retryAfterSeconds),
    field: error.field && t.fields[error.field],
  });
}

/** Rounded up: whoever waits as long as we say must not be refused again. */
export function waitInWords(locale: string, seconds: number): string {
  const [unit, length] = seconds <= 60 ? ['second', 1] : seconds <= 3_600 ? ['minute', 60] : ['hour', 3_600];
  const count = Math.max(1, Math.ceil(seconds / length));
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

export interface ShownProblem {
  /** The summary at the top of the page. */
  summary: Html | null;
  isAt: (field: FieldName) => boolean;
}

/** `fields` are those on the page. Where the fault lies in none of them, the summary itself takes the focus. */
export function showProblem(
  t: Texts,
  error: PageError | undefined,
  fields: readonly FieldName[],
  minLength?: number,
): ShownProblem {
  if (!error) return { summary: null, isAt: () => false };
  const asked = error.field ?? usualField[error.reason];
  const at = asked && fields.includes(asked) ? asked : undefined;
  const { what, next } = describeProblem(t, error, minLength);
  const summary = html`<div class="problem" role="alert" id="problem" ${at ? null : html`tabindex="-1" autofocus`}>
    ${warningIcon}
    <p><b>${what}</b> ${next}</p>
  </div>`;
  return { summary, isAt: (field) => field === at };
}
