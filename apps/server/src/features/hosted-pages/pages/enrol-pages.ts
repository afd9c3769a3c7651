import { html, type Html } from '../html/html.ts';
import { warningIcon } from '../html/icons.ts';
import { button, field, link, passkeyForm, type PageContent, type PasskeyView } from '../html/components.ts';
import { showProblem, type PageError } from '../problem.ts';
import type { Texts } from '../locale/texts.ts';

export interface EnrolView {
  /** Confirms the authenticator app. */
  action: string;
  secret: string;
  /** From `qrCode`. */
  qrSvg: Html;
  passkey?: PasskeyView | undefined;
  error?: PageError | undefined;
  isRequired: boolean;
  /** Skips two-factor authentication. Only shown if it is not required. */
  skipUrl?: string | undefined;
}

export function enrolPage(t: Texts, view: EnrolView): PageContent {
  const { enrol } = t;
  const problem = showProblem(t, view.error, ['code']);
  const body = html`<h1>${enrol.title}</h1>
    <p class="lead">${view.isRequired ? enrol.required : enrol.optional}</p>
    ${problem.summary}
    ${
      view.passkey &&
      html`<section class="part">
        <h2>${enrol.passkeyHeading}</h2>
        <p class="lead">${enrol.passkeyText}</p>
        ${passkeyForm(t, {
          ...view.passkey,
          kind: 'create',
          label: enrol.passkeyButton,
          isPrimary: true,
          instead: t.passkey.useApp,
        })}
      </section>`
    }
    <section class="part">
      <h2>${enrol.appHeading}</h2>
      <p class="lead">${enrol.appText}</p>
      <div class="qr wide" role="img" aria-label="${enrol.qr}">${view.qrSvg}</div>
      <p class="hint wide" id="secret-label">${enrol.cannotScan}</p>
      <p class="secret" aria-describedby="secret-label">${inGroups(view.secret)}</p>
      <form method="post" action="${view.action}">
        ${field({
          name: 'code',
          label: enrol.codeLabel,
          autocomplete: 'one-time-code',
          inputmode: 'numeric',
          className: 'digits',
          error: problem.at('code'),
        })}
        ${button(enrol.button, !view.passkey)}
      </form>
    </section>
    ${!view.isRequired && view.skipUrl && html`<p class="end">${link(enrol.skip, view.skipUrl)}</p>`}`;
  return { title: enrol.title, body, hasScript: view.passkey !== undefined };
}

/** Groups of four are easier to type. Authenticator apps ignore the spaces. */
const inGroups = (secret: string): string =>
  secret
    .replaceAll(/\s/g, '')
    .match(/.{1,4}/g)
    ?.join(' ') ?? '';

export interface RecoveryCodesView {
  codes: readonly string[];
  action: string;
}

export function recoveryCodesPage(t: Texts, { codes, action }: RecoveryCodesView): PageContent {
  const { recoveryCodes } = t;
  const body = html`<h1>${recoveryCodes.title}</h1>
    <p class="lead">${recoveryCodes.purpose}</p>
    <div class="part">
      <div class="note">
        ${warningIcon}
        <p><b>${recoveryCodes.onlyNow}</b> ${recoveryCodes.howToKeep}</p>
      </div>
      <ul class="codes wide" aria-label="${recoveryCodes.list}">
        ${codes.map((code) => html`<li>${code}</li>`)}
      </ul>
    </div>
    <form class="part" method="post" action="${action}">
      <label class="check"><input type="checkbox" name="kept" value="yes" required /> ${recoveryCodes.kept}</label>
      ${button(recoveryCodes.button)}
    </form>`;
  return { title: recoveryCodes.title, body, hasScript: false };
}
