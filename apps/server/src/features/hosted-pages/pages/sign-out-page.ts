import { html, type Html } from '../html/html.ts';
import type { PageContent } from '../html/components.ts';
import type { Texts } from '../locale/texts.ts';

/** `form` comes from the OIDC library, with its own token; the button below submits it. */
export const signOutPage = (t: Texts, form: Html): PageContent => ({
  title: t.signOut.title,
  hasScript: false,
  body: html`<h1>${t.signOut.title}</h1>
    <p class="lead">${t.signOut.text}</p>
    ${form}
    <div class="part">
      <button class="button" type="submit" form="op.logoutForm" name="logout" value="yes">${t.signOut.button}</button>
    </div>`,
});
