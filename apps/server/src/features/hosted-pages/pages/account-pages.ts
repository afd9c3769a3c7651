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
  type PageParts,
} from '../html/components.ts';
import { newPasswordField, sentPage } from './password-pages.ts';
import { showProblem, type PageError } from '../problem.ts';
import type { Texts } from '../locale/texts.ts';

export interface InvitationView {
  action: string;
  token: string;
  organisation: string;
  email: string;
  /** Nobody has this address yet: a name and a password are asked for. */
  needsAccount: boolean;
  error?: PageError | undefined;
  isDone: boolean;
  signInUrl?: string | undefined;
  minLength: number;
}

export function invitationPage(t: Texts, view: InvitationView): PageParts {
  const { invitation } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${invitation.doneText}</p>`;
    const signIn = view.signInUrl && linkButton(t.signIn.button, view.signInUrl);
    return outcome('done', invitation.doneTitle(view.organisation), text, signIn);
  }
  const { needsAccount } = view;
  const isOver = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, needsAccount && !isOver ? ['name', 'password'] : [], view.minLength);
  const title = invitation.title(view.organisation);
  const intro = emphasise(invitation.intro(view.email), view.email);
  const form = html`<form class="part" method="post" action="${view.action}">
    ${hidden('token', view.token)} ${hiddenUsername(view.email)}
    ${field({ name: 'name', label: t.fields.name, autocomplete: 'name', isAtFault: problem.isAt('name') })}
    ${newPasswordField(t, t.fields.password, view.minLength, problem.isAt('password'))} ${button(invitation.buttonNew)}
  </form>`;
  const signIn = view.signInUrl && html`<div class="part">${linkButton(invitation.buttonOld, view.signInUrl)}</div>`;
  const body = html`<h1>${title}</h1>
    ${!isOver && html`<p class="lead">${intro} ${needsAccount ? invitation.withNewAccount : invitation.withOldAccount}</p>`}
    ${problem.summary} ${!isOver && (needsAccount ? form : signIn)}
    ${(isOver || needsAccount) && view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title, body, hasScript: false };
}

export interface SignUpView {
  action: string;
  values: { email: string; name: string; organisation: string };
  error?: PageError | undefined;
  isSent: boolean;
  signInUrl?: string | undefined;
  /** What a sign-up has to bring, and where the form gets it. */
  check?: SignUpCheckView | undefined;
}
export type SignUpCheckView =
  | { kind: 'proof_of_work'; challengeUrl: string }
  | { kind: 'captcha'; className: string; siteKey: string; scriptUrl: string; origins: readonly string[] };

export function signUpPage(t: Texts, view: SignUpView): PageParts {
  const { signUp } = t;
  const { values, check } = view;
  const challenge =
    check?.kind === 'proof_of_work' &&
    attributes({ 'data-challenge': check.challengeUrl, 'data-busy': signUp.busy, 'data-error': signUp.failed });
  if (view.isSent) {
    const text = emphasise(t.sent.signUp(values.email), values.email);
    return sentPage(t, text, view.signInUrl && links(link(t.toSignIn, view.signInUrl)));
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
        isAtFault: problem.isAt('name'),
      })}
      ${field({
        name: 'organisation',
        label: t.fields.organisation,
        hint: signUp.organisationHint,
        autocomplete: 'organization',
        value: values.organisation,
        isAtFault: problem.isAt('organisation'),
      })}
      ${field({
        name: 'email',
        label: t.fields.email,
        type: 'email',
        inputmode: 'email',
        autocomplete: 'username',
        value: values.email,
        isAtFault: problem.isAt('email'),
      })}
      ${check && checkParts(t, check)} ${button(signUp.button)}
    </form>
    ${view.signInUrl && html`<p class="end">${signUp.haveAccount} ${link(t.signIn.button, view.signInUrl)}</p>`}`;
  return {
    title: signUp.title,
    body,
    hasScript: false,
    check: check?.kind === 'captcha' ? { scriptUrl: check.scriptUrl, origins: check.origins } : check?.kind,
  };
}

/** Within the form: where the answer goes, and what to do without a script. */
const checkParts = (t: Texts, check: SignUpCheckView): Html =>
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
  /** What they are about to own, and by which address: a link that somebody else asked for shows itself by them. */
  organisation: string;
  email: string;
  minLength: number;
  isDone: boolean;
  error?: PageError | undefined;
  signInUrl?: string | undefined;
}

/** A button and not the link alone: programs that look at the links in emails would use it up. */
export function confirmEmailPage(t: Texts, view: ConfirmEmailView): PageParts {
  const { confirmEmail } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${confirmEmail.doneText}</p>`;
    return outcome('done', confirmEmail.doneTitle, text, view.signInUrl && linkButton(t.signIn.button, view.signInUrl));
  }
  const isOver = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, isOver ? [] : ['password'], view.minLength);
  const text = emphasise(confirmEmail.text(view.organisation, view.email), view.email);
  const body = html`<h1>${confirmEmail.title}</h1>
    ${!isOver && html`<p class="lead">${text}</p>`} ${problem.summary}
    ${
      !isOver &&
      html`<form class="part" method="post" action="${view.action}">
        ${hidden('token', view.token)} ${hiddenUsername(view.email)}
        ${newPasswordField(t, t.fields.password, view.minLength, problem.isAt('password'))}
        ${button(confirmEmail.button)}
      </form>`
    }
    ${isOver && view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title: confirmEmail.title, body, hasScript: false };
}
