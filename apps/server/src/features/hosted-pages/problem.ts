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
  /** At the top of the page, for errors that no field on it has. */
  summary: Html | null;
  /** The error of a field, shown at that field. */
  at: (field: FieldName) => Html | undefined;
}

/** `fields` are those on the page. If the error is in none of them, it is shown at the top and gets the focus. */
export function showProblem(
  t: Texts,
  error: PageError | undefined,
  fields: readonly FieldName[],
  minLength?: number,
): ProblemView {
  if (!error) return { summary: null, at: () => undefined };
  const errorField = error.field ?? defaultField[error.reason];
  const { what, next } = describeProblem(t, error, minLength);
  const message = html`<b>${what}</b> ${next}`;
  if (errorField && fields.includes(errorField))
    return { summary: null, at: (field) => (field === errorField ? message : undefined) };
  const summary = html`<div class="problem" role="alert" tabindex="-1" autofocus>
    ${warningIcon}
    <p>${message}</p>
  </div>`;
  return { summary, at: () => undefined };
}
