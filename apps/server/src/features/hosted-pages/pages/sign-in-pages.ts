import { html, type Html } from '../html/html.ts';
import {
  button,
  field,
  hidden,
  link,
  links,
  or,
  passkeyForm,
  type PageContent,
  type PasskeyView,
} from '../html/components.ts';
import { showProblem, type PageError } from '../problem.ts';
import type { Texts } from '../locale/texts.ts';

export interface SignInView {
  action: string;
  email: string;
  error?: PageError | undefined;
  passkey?: PasskeyView | undefined;
  forgotUrl?: string | undefined;
  signUpUrl?: string | undefined;
  clientName?: string | undefined;
}

export function signInPage(t: Texts, view: SignInView): PageContent {
  const problem = showProblem(t, view.error, ['email', 'password']);
  // Only one element can have autofocus; an error takes precedence.
  const hasNoError = !view.error;
  const body = html`<h1>${t.signIn.title}</h1>
    ${view.clientName && html`<p class="lead">${t.signIn.continueTo(view.clientName)}</p>`} ${problem.summary}
    <form class="part" method="post" action="${view.action}">
      ${field({
        name: 'email',
        label: t.fields.email,
        type: 'email',
        inputmode: 'email',
        autocomplete: 'username',
        value: view.email,
        error: problem.at('email'),
        hasFocus: hasNoError && view.email === '',
      })}
      ${field({
        name: 'password',
        label: t.fields.password,
        type: 'password',
        autocomplete: 'current-password',
        error: problem.at('password'),
        hasFocus: hasNoError && view.email !== '',
      })}
      ${button(t.signIn.button)}
    </form>
    ${view.forgotUrl && links(link(t.signIn.forgot, view.forgotUrl))}
    ${
      view.passkey &&
      html`${or(t)}
      ${passkeyForm(t, {
        ...view.passkey,
        kind: 'get',
        label: t.signIn.passkey,
        instead: t.passkey.usePassword,
      })}`
    }
    ${view.signUpUrl && html`<p class="end">${t.signIn.noAccount} ${link(t.signIn.createAccount, view.signUpUrl)}</p>`}`;
  return { title: t.signIn.title, body, hasScript: view.passkey !== undefined };
}

export type TwoFactorMethod = 'totp' | 'recovery_code' | 'passkey';

export interface TwoFactorView {
  action: string;
  methods: readonly TwoFactorMethod[];
  passkey?: PasskeyView | undefined;
  error?: PageError | undefined;
  /** The method that failed. With `recovery_code`, its form is open and has the focus. */
  usedMethod?: TwoFactorMethod | undefined;
  restartUrl: string;
}

export function twoFactorPage(t: Texts, view: TwoFactorView): PageContent {
  const { secondFactor } = t;
  const hasTotp = view.methods.includes('totp');
  const hasRecovery = view.methods.includes('recovery_code');
  const isOnlyRecovery = hasRecovery && !hasTotp && !view.passkey;
  const usedRecovery = isOnlyRecovery || (hasRecovery && view.usedMethod === 'recovery_code');
  const problem = showProblem(t, view.error, hasTotp || usedRecovery ? ['code'] : []);

  const recoveryForm = html`<form method="post" action="${view.action}">
    ${hidden('method', 'recovery_code')}
    ${field({
      name: 'code',
      id: 'recovery-code',
      label: t.fields.recoveryCode,
      hint: isOnlyRecovery ? undefined : secondFactor.recoveryHint,
      autocomplete: 'off',
      className: 'code',
      error: usedRecovery ? problem.at('code') : undefined,
      hasFocus: !view.error && isOnlyRecovery,
    })}
    ${button(secondFactor.recoveryButton, isOnlyRecovery)}
  </form>`;
  const recovery: Html = isOnlyRecovery
    ? html`<div class="part">${recoveryForm}</div>`
    : html`<details ${usedRecovery ? html`open` : null}>
        <summary>${secondFactor.useRecovery}</summary>
        ${recoveryForm}
      </details>`;

  const lead = hasTotp ? secondFactor.totp : view.passkey ? secondFactor.passkeyOnly : secondFactor.recoveryOnly;
  const body = html`<h1>${secondFactor.title}</h1>
    <p class="lead">${lead}</p>
    ${problem.summary}
    ${
      hasTotp &&
      html`<form class="part" method="post" action="${view.action}">
        ${hidden('method', 'totp')}
        ${field({
          name: 'code',
          label: t.fields.code,
          autocomplete: 'one-time-code',
          inputmode: 'numeric',
          className: 'digits',
          error: usedRecovery ? undefined : problem.at('code'),
          hasFocus: !view.error,
        })}
        ${button(secondFactor.button)}
      </form>`
    }
    ${view.passkey && passkeySection(t, view.passkey, { isFirst: !hasTotp, hasOther: hasTotp || hasRecovery })}
    ${isOnlyRecovery && recovery}
    <div class="end">
      ${hasRecovery && !isOnlyRecovery && recovery} ${link(secondFactor.restart, view.restartUrl)}
    </div>`;
  return { title: secondFactor.title, body, hasScript: view.passkey !== undefined };
}

function passkeySection(
  t: Texts,
  passkey: PasskeyView,
  { isFirst, hasOther }: { isFirst: boolean; hasOther: boolean },
) {
  const form = passkeyForm(t, {
    ...passkey,
    kind: 'get',
    label: t.secondFactor.passkey,
    isPrimary: isFirst,
    ...(hasOther && { instead: t.passkey.useCode }),
  });
  return isFirst ? html`<div class="part">${form}</div>` : html`${or(t)} ${form}`;
}
