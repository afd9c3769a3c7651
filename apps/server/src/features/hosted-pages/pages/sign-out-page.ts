import { html, type Html } from '../html/html.ts';
import type { PageParts } from '../html/components.ts';
import type { Texts } from '../locale/texts.ts';

/** `form` is the OIDC library's, with its own token; the buttons below belong to it. */
export const signOutPage = (t: Texts, form: Html): PageParts => ({
  title: t.signOut.title,
  hasScript: false,
  body: html`<h1>${t.signOut.title}</h1>
    <p class="lead">${t.signOut.text}</p>
    ${form}
    <div class="part">
      <button class="button" type="submit" form="op.logoutForm" name="logout" value="yes">${t.signOut.button}</button>
    </div>`,
});
