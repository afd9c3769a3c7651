import { html } from '../html/html.ts';
import { linkButton, type PageContent } from '../html/components.ts';
import type { Texts } from '../locale/texts.ts';

export interface MessageView {
  heading: string;
  text: string;
  link?: { label: string; url: string } | undefined;
}

/** A page without a form: signed out, not found, or an error that ends the sign-in. */
export const messagePage = (_: Texts, { heading, text, link }: MessageView): PageContent => ({
  title: heading,
  hasScript: false,
  body: html`<h1>${heading}</h1>
    <p class="lead">${text}</p>
    ${link && html`<div class="part">${linkButton(link.label, link.url)}</div>`}`,
});
