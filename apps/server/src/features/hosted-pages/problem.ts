import { html, type Html } from './html/html.ts';
import { warningIcon } from './html/icons.ts';
import type { FieldName, Problem, Reason, Texts } from './locale/texts.ts';

export interface PageError {
  reason: string;
  retryAfterSeconds?: number | undefined;
  field?: FieldName | undefined;
}

/** For errors that do not name a field. */
const defaultField: Partial<Record<string, FieldName>> = {
  invalid_credentials: 'password',
  invalid_code: 'code',
  password_too_short: 'password',
  password_too_common: 'password',
  password_too_long: 'password',
  password_contains_email: 'password',
  email_domain_blocked: 'email',
} satisfies Partial<Record<Reason, FieldName>>;

/** The text for an error. Unknown reasons are shown as an unexpected error. */
export function describeProblem(t: Texts, error: PageError, minLength?: number): Problem {
  const reason = (Object.hasOwn(t.errors, error.reason) ? error.reason : 'unexpected') as Reason;
  return t.errors[reason]({
    minLength,
    wait: error.retryAfterSeconds === undefined ? undefined : formatWait(t.locale, error.retryAfterSeconds),
    field: error.field && t.fields[error.field],
  });
}

/** Rounds up, so that a retry after the wait is not refused again. */
export function formatWait(locale: string, seconds: number): string {
  const [unit, length] = seconds <= 60 ? ['second', 1] : seconds <= 3_600 ? ['minute', 60] : ['hour', 3_600];
  const count = Math.max(1, Math.ceil(seconds / length));
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

export interface ProblemView {
  /** The summary at the top of the page. */
  summary: Html | null;
  isAt: (field: FieldName) => boolean;
}

/** `fields` are those on the page. If the error is in none of them, the summary gets the focus. */
export function showProblem(
  t: Texts,
  error: PageError | undefined,
  fields: readonly FieldName[],
  minLength?: number,
): ProblemView {
  if (!error) return { summary: null, isAt: () => false };
  const errorField = error.field ?? defaultField[error.reason];
  const at = errorField && fields.includes(errorField) ? errorField : undefined;
  const { what, next } = describeProblem(t, error, minLength);
  const summary = html`<div class="problem" role="alert" id="problem" ${at ? null : html`tabindex="-1" autofocus`}>
    ${warningIcon}
    <p><b>${what}</b> ${next}</p>
  </div>`;
  return { summary, isAt: (field) => field === at };
}
