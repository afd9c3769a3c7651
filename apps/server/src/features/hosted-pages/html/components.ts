import { attributes, html, type Content, type Html } from './html.ts';
import { doneIcon, emailIcon, passkeyIcon, warningIcon } from './icons.ts';
import type { Texts } from '../locale/texts.ts';

/** The content of a page, rendered into the layout. */
export interface PageContent {
  title: string;
  body: Html;
  /** The script for passkeys. */
  hasScript: boolean;
  /** The proof-of-work script or that of a CAPTCHA, which only this page may load. */
  check?: 'proof_of_work' | { scriptUrl: string; origins: readonly string[] } | undefined;
}

export interface Field {
  name: string;
  label: string;
  /** If a name is used twice on a page. */
  id?: string;
  type?: 'text' | 'email' | 'password';
  value?: string | undefined;
  autocomplete: string;
  inputmode?: 'email' | 'numeric';
  className?: 'digits' | 'code';
  hint?: string | undefined;
  minLength?: number;
  /** What is wrong with it, shown below. */
  error?: Html | undefined;
  hasFocus?: boolean;
}

export function field({ name, label, id = name, type = 'text', hint, error, ...rest }: Field): Html {
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const isCode = rest.className !== undefined;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input${attributes({
      id,
      name,
      type,
      value: rest.value,
      class: rest.className,
      autocomplete: rest.autocomplete,
      inputmode: rest.inputmode,
      minlength: rest.minLength,
      required: true,
      // Codes and email addresses must not be autocorrected.
      autocapitalize: isCode || type === 'email' ? 'none' : null,
      spellcheck: isCode || type === 'email' ? 'false' : null,
      'aria-invalid': error ? 'true' : null,
      'aria-describedby': describedBy || null,
      autofocus: error !== undefined || rest.hasFocus,
    })} />
    ${error && html`<p class="error" role="alert" id="${id}-error">${warningIcon}<span>${error}</span></p>`}
  </div>`;
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** The username for password managers. Has no name, so it is not submitted. */
export const hiddenUsername = (email: string): Html =>
  html`<input type="text" autocomplete="username" value="${email}" readonly hidden />`;

/** A page has one primary button. */
export const button = (label: string, isPrimary = true): Html =>
  html`<button class="${isPrimary ? 'button' : 'button second'}">${label}</button>`;

export const linkButton = (label: string, url: string): Html => html`<a class="button" href="${url}">${label}</a>`;

export const link = (label: string, url: string): Html => html`<a class="link" href="${url}">${label}</a>`;

export const links = (entry: Html): Html => html`<p class="links">${entry}</p>`;

/** Highlights an email address or name within a sentence. */
export const emphasise = (sentence: string, word: string): Html => {
  const at = word === '' ? -1 : sentence.lastIndexOf(word);
  return at < 0 ? html`${sentence}` : html`${sentence.slice(0, at)}<b>${word}</b>${sentence.slice(at + word.length)}`;
};

export const or = (t: Texts): Html => html`<p class="or">${t.or}</p>`;

export interface PasskeyView {
  action: string;
  /** The options from `@simplewebauthn/server`, as JSON. */
  options: string;
}

export interface PasskeyForm extends PasskeyView {
  kind: 'get' | 'create';
  label: string;
  isPrimary?: boolean;
  /** What to do if passkeys are not available. Default: use another browser, or allow scripts. */
  instead?: string;
}

/** Hidden until the script has run, so that there is no dead button without it. */
export function passkeyForm(t: Texts, { kind, action, options, label, isPrimary = false, instead }: PasskeyForm): Html {
  const { needsScript, allowScript, notSupported, changeBrowser, busy, failed } = t.passkey;
  return html`<form
      method="post"
      action="${action}"
      data-passkey="${kind}"
      data-options="${options}"
      data-error="${failed}"
      hidden
    >
      <input type="hidden" name="credential" />
      <button class="${isPrimary ? 'button' : 'button second'}" data-busy="${busy}">
        ${passkeyIcon}<span data-label>${label}</span>
      </button>
      <div class="problem" role="alert" hidden>
        ${warningIcon}
        <p></p>
      </div>
    </form>
    <p class="aside" data-passkey-missing hidden>${notSupported} ${instead ?? changeBrowser}</p>
    <noscript><p class="aside">${needsScript} ${instead ?? allowScript}</p></noscript>`;
}

/** A final page: the action is done, or an email was sent. */
export const outcome = (kind: 'done' | 'sent', title: string, texts: Html, end?: Content): PageContent => ({
  title,
  hasScript: false,
  body: html`${kind === 'done' ? doneIcon : emailIcon}
    <h1>${title}</h1>
    ${texts} ${end && html`<div class="part">${end}</div>`}`,
});
