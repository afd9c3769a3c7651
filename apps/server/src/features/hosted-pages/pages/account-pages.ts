import { attributes, html, type Html } from '../html/html.ts';
import { warningIcon } from '../html/icons.ts';
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
import { newPasswordField, sentPage } from './password-pages.ts';
import { showProblem, type PageError } from '../problem.ts';
import type { Texts } from '../locale/texts.ts';

export interface InvitationView {
  action: string;
  token: string;
  organisation: string;
  email: string;
  /** The email address has no account yet, so a name and a password are required. */
  needsAccount: boolean;
  error?: PageError | undefined;
  isDone: boolean;
  signInUrl?: string | undefined;
  minLength: number;
}

export function invitationPage(t: Texts, view: InvitationView): PageContent {
  const { invitation } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${invitation.doneText}</p>`;
    const signIn = view.signInUrl && linkButton(t.signIn.button, view.signInUrl);
    return outcome('done', invitation.doneTitle(view.organisation), text, signIn);
  }
  const { needsAccount } = view;
  const isExpired = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, needsAccount && !isExpired ? ['name', 'password'] : [], view.minLength);
  const title = invitation.title(view.organisation);
  const intro = emphasise(invitation.intro(view.email), view.email);
  const form = html`<form class="part" method="post" action="${view.action}">
    ${hidden('token', view.token)} ${hiddenUsername(view.email)}
    ${field({ name: 'name', label: t.fields.name, autocomplete: 'name', error: problem.at('name') })}
    ${newPasswordField(t, t.fields.password, view.minLength, problem.at('password'))} ${button(invitation.buttonNew)}
  </form>`;
  const signIn = view.signInUrl && html`<div class="part">${linkButton(invitation.buttonOld, view.signInUrl)}</div>`;
  const body = html`<h1>${title}</h1>
    ${!isExpired && html`<p class="lead">${intro} ${needsAccount ? invitation.withNewAccount : invitation.withOldAccount}</p>`}
    ${problem.summary} ${!isExpired && (needsAccount ? form : signIn)}
    ${(isExpired || needsAccount) && view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title, body, hasScript: false };
}

export interface SignUpView {
  action: string;
  values: { email: string; name: string; organisation: string };
  error?: PageError | undefined;
  isSent: boolean;
  /** Sends the email again. */
  resend?: { action: string; signupId: string; isDone: boolean } | undefined;
  signInUrl?: string | undefined;
  /** The proof required for a sign-up, and where the form gets it. */
  check?: SignUpCheckView | undefined;
}
export type SignUpCheckView =
  | { kind: 'proof_of_work'; challengeUrl: string }
  | { kind: 'captcha'; className: string; siteKey: string; scriptUrl: string; origins: readonly string[] };

export function signUpPage(t: Texts, view: SignUpView): PageContent {
  const { signUp } = t;
  const { values, check } = view;
  const challenge =
    check?.kind === 'proof_of_work' &&
    attributes({ 'data-challenge': check.challengeUrl, 'data-busy': signUp.busy, 'data-error': signUp.failed });
  if (view.isSent) {
    const text = emphasise(t.sent.signUp(values.email), values.email);
    const back = view.signInUrl && links(link(t.toSignIn, view.signInUrl));
    return sentPage(t, text, html`${showProblem(t, view.error, []).summary} ${resendForm(t, view)} ${back}`);
  }
  const problem = showProblem(t, view.error, ['email', 'name', 'organisation']);
  const body = html`<h1>${signUp.title}</h1>
    ${problem.summary}
    <form class="part" method="post" action="${view.action}" ${challenge}>
      ${challenge && hidden('proof', '')}
      ${field({
        name: 'name',
        label: t.fields.name,
        autocomplete: 'name',
        value: values.name,
        error: problem.at('name'),
      })}
      ${field({
        name: 'organisation',
        label: t.fields.organisation,
        hint: signUp.organisationHint,
        autocomplete: 'organization',
        value: values.organisation,
        error: problem.at('organisation'),
      })}
      ${field({
        name: 'email',
        label: t.fields.email,
        type: 'email',
        inputmode: 'email',
        autocomplete: 'username',
        value: values.email,
        error: problem.at('email'),
      })}
      ${check && signUpCheckFields(t, check)} ${button(signUp.button)}
    </form>
    ${view.signInUrl && html`<p class="end">${signUp.haveAccount} ${link(t.signIn.button, view.signInUrl)}</p>`}`;
  return {
    title: signUp.title,
    body,
    hasScript: false,
    check: check?.kind === 'captcha' ? { scriptUrl: check.scriptUrl, origins: check.origins } : check?.kind,
  };
}

const resendForm = (t: Texts, { resend, values }: SignUpView): Html | undefined =>
  resend &&
  html`${resend.isDone && html`<p class="lead" role="status">${t.sent.sentAgain}</p>`}
    <form class="part" method="post" action="${resend.action}">
      ${hidden('signupId', resend.signupId)} ${hidden('email', values.email)} ${button(t.sent.again, false)}
    </form>`;

/** Fields of the check within the form, and a hint for browsers without scripts. */
const signUpCheckFields = (t: Texts, check: SignUpCheckView): Html =>
  html`${
      check.kind === 'captcha'
        ? html`<div class="${check.className}" data-sitekey="${check.siteKey}"></div>`
        : html`<div class="problem" role="alert" hidden>
            ${warningIcon}
            <p></p>
          </div>`
    } <noscript><p class="aside">${t.signUp.needsScript}</p></noscript>`;

export interface ConfirmEmailView {
  action: string;
  token: string;
  /** Shown so that a person recognises a link that someone else requested. */
  organisation: string;
  email: string;
  minLength: number;
  isDone: boolean;
  error?: PageError | undefined;
  signInUrl?: string | undefined;
  /** Where to get a new link if this one has expired. */
  signUpUrl?: string | undefined;
}

/** Requires a button, because link scanners in email clients would otherwise consume the link. */
export function confirmEmailPage(t: Texts, view: ConfirmEmailView): PageContent {
  const { confirmEmail } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${confirmEmail.doneText}</p>`;
    return outcome('done', confirmEmail.doneTitle, text, view.signInUrl && linkButton(t.signIn.button, view.signInUrl));
  }
  const isExpired = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, isExpired ? [] : ['password'], view.minLength);
  const text = emphasise(confirmEmail.text(view.organisation, view.email), view.email);
  const body = html`<h1>${confirmEmail.title}</h1>
    ${!isExpired && html`<p class="lead">${text}</p>`} ${problem.summary}
    ${
      !isExpired &&
      html`<form class="part" method="post" action="${view.action}">
        ${hidden('token', view.token)} ${hiddenUsername(view.email)}
        ${newPasswordField(t, t.fields.password, view.minLength, problem.at('password'))} ${button(confirmEmail.button)}
      </form>`
    }
    ${isExpired && view.signUpUrl && html`<div class="part">${linkButton(t.signIn.createAccount, view.signUpUrl)}</div>`}
    ${isExpired && view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title: confirmEmail.title, body, hasScript: false };
}
