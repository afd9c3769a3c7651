import { html } from './html.ts';
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
} from './parts.ts';
import { newPasswordField, sentPage } from './password-pages.ts';
import { showProblem, type PageError } from './problem.ts';
import type { Texts } from './texts.ts';

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
  const intro = emphasise(invitation.intro(view.organisation, view.email), view.email);
  const body = html`<h1>${title}</h1>
    ${!isOver && html`<p class="lead">${intro} ${needsAccount ? invitation.withNewAccount : invitation.withOldAccount}</p>`}
    ${problem.summary}
    ${
      !isOver &&
      html`<form class="part" method="post" action="${view.action}">
        ${hidden('token', view.token)}
        ${
          needsAccount &&
          html`${hiddenUsername(view.email)}
          ${field({ name: 'name', label: t.fields.name, autocomplete: 'name', isAtFault: problem.isAt('name') })}
          ${newPasswordField(t, t.fields.password, view.minLength, problem.isAt('password'))}`
        }
        ${button(needsAccount ? invitation.buttonNew : invitation.buttonOld)}
      </form>`
    }
    ${view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title, body, hasScript: false };
}

export interface SignUpView {
  action: string;
  values: { email: string; name: string; organisation: string };
  error?: PageError | undefined;
  isSent: boolean;
  minLength: number;
  signInUrl?: string | undefined;
}

export function signUpPage(t: Texts, view: SignUpView): PageParts {
  const { signUp } = t;
  const { values } = view;
  if (view.isSent) {
    const text = emphasise(t.sent.signUp(values.email), values.email);
    return sentPage(t, text, view.signInUrl && links(link(t.toSignIn, view.signInUrl)));
  }
  const problem = showProblem(t, view.error, ['email', 'name', 'organisation', 'password'], view.minLength);
  const body = html`<h1>${signUp.title}</h1>
    ${problem.summary}
    <form class="part" method="post" action="${view.action}">
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
      ${newPasswordField(t, t.fields.password, view.minLength, problem.isAt('password'))} ${button(signUp.button)}
    </form>
    ${view.signInUrl && html`<p class="end">${signUp.haveAccount} ${link(t.signIn.button, view.signInUrl)}</p>`}`;
  return { title: signUp.title, body, hasScript: false };
}

export interface ConfirmEmailView {
  action: string;
  token: string;
  isDone: boolean;
  error?: PageError | undefined;
  signInUrl?: string | undefined;
}

/** A button and not the link alone: programs that look at the links in letters would use it up. */
export function confirmEmailPage(t: Texts, view: ConfirmEmailView): PageParts {
  const { confirmEmail } = t;
  if (view.isDone) {
    const text = html`<p class="lead">${confirmEmail.doneText}</p>`;
    return outcome('done', confirmEmail.doneTitle, text, view.signInUrl && linkButton(t.signIn.button, view.signInUrl));
  }
  const isOver = view.error?.reason === 'link_expired';
  const problem = showProblem(t, view.error, []);
  const body = html`<h1>${confirmEmail.title}</h1>
    ${!isOver && html`<p class="lead">${confirmEmail.text}</p>`} ${problem.summary}
    ${
      !isOver &&
      html`<form class="part" method="post" action="${view.action}">
        ${hidden('token', view.token)} ${button(confirmEmail.button)}
      </form>`
    }
    ${isOver && view.signInUrl && links(link(t.toSignIn, view.signInUrl))}`;
  return { title: confirmEmail.title, body, hasScript: false };
}
