import { html, type Content, type Html } from '../html/html.ts';
import {
  button,
  emphasise,
  field,
  hidden,
  hiddenUsername,
  link,
  linkButton,
  links,
  outcome,
  type PageContent,
} from '../html/components.ts';
import { showProblem, type PageError } from '../problem.ts';
import type { Texts } from '../locale/texts.ts';

export interface ForgotView {
  action: string;
  email: string;
  isSent: boolean;
  error?: PageError | undefined;
  signInUrl?: string | undefined;
}

export function forgotPage(t: Texts, view: ForgotView): PageContent {
  const back = view.signInUrl ? links(link(t.toSignIn, view.signInUrl)) : null;
  if (view.isSent) return sentPage(t, emphasise(t.sent.reset(view.email), view.email), back);
  const problem = showProblem(t, view.error, ['email']);
  const body = html`<h1>${t.forgot.title}</h1>
    <p class="lead">${t.forgot.intro}</p>
    ${problem.summary}
    <form class="part" method="post" action="${view.action}">
      ${field({
        name: 'email',
        label: t.fields.email,
        type: 'email',
        inputmode: 'email',
        autocomplete: 'username',
        value: view.email,
        error: problem.at('email'),
        hasFocus: !view.error,
      })}
      ${button(t.forgot.button)}
    </form>
    ${back}`;
  return { title: t.forgot.title, body, hasScript: false };
}

export interface ResetView {
  action: string;
  token: string;
  email?: string | undefined;
  error?: PageError | undefined;
  minLength: number;
  isDone: boolean;
  signInUrl?: string | undefined;
  /** Where to request a new link if this one has expired. */
  forgotUrl?: string | undefined;
}

export function resetPage(t: Texts, view: ResetView): PageContent {
  const { reset } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${reset.doneText}</p>`;
    return outcome('done', reset.doneTitle, text, view.signInUrl && linkButton(t.signIn.button, view.signInUrl));
  }
  const isExpired = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, isExpired ? [] : ['password'], view.minLength);
  const body = html`<h1>${reset.title}</h1>
    ${view.email && html`<p class="lead">${emphasise(reset.forEmail(view.email), view.email)}</p>`} ${problem.summary}
    ${
      isExpired
        ? view.forgotUrl && html`<div class="part">${linkButton(reset.newLink, view.forgotUrl)}</div>`
        : html`<form class="part" method="post" action="${view.action}">
            ${hidden('token', view.token)} ${view.email && hiddenUsername(view.email)}
            ${newPasswordField(t, t.fields.newPassword, view.minLength, problem.at('password'), !view.error)}
            ${button(reset.button)}
          </form>`
    }
    ${view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title: reset.title, body, hasScript: false };
}

export const newPasswordField = (
  t: Texts,
  label: string,
  minLength: number,
  error: Html | undefined,
  hasFocus = false,
) =>
  field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: t.passwordHint(minLength),
    minLength,
    error,
    hasFocus,
  });

export const sentPage = (t: Texts, text: Html, back: Content): PageContent =>
  outcome(
    'sent',
    t.sent.title,
    html`<p class="lead">${text}</p>
      <p class="lead">${t.sent.hint}</p>
      ${back}`,
  );
