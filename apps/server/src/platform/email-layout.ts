import type { RenderedEmail } from './emails.ts';

interface EmailContent {
  locale: string;
  subject: string;
  greeting: string;
  paragraphs: readonly string[];
  button?: { label: string; url: string };
  footnotes?: readonly string[];
}

/**
 * Makes a user-provided name safe for an email to another person: on one line, and with zero-width spaces after `.:/@`,
 * so that mail clients do not turn `evil.example` into a link.
 */
export const plainName = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/[.:/@]/g, '$&\u200b');

/** Renders the same content as text and as HTML that loads nothing when it is opened. */
export function renderEmail({
  locale,
  subject,
  greeting,
  paragraphs,
  button,
  footnotes = [],
}: EmailContent): RenderedEmail {
  if (button && !/^https?:\/\//.test(button.url)) throw new Error('emails can link to http and https URLs only');
  const text = [
    greeting,
    ...paragraphs,
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...footnotes,
    '-- \nParley',
  ];
  return { subject, text: `${text.join('\n\n')}\n`, html: asHtml() };

  function asHtml(): string {
    const paragraphsHtml = [greeting, ...paragraphs].map(
      (part) => `<p style="margin:0 0 16px">${escapeHtml(part)}</p>`,
    );
    const url = escapeHtml(button?.url ?? '');
    const action = button && [
      `<p style="margin:24px 0 16px"><a href="${url}" style="${buttonStyle}">${escapeHtml(button.label)}</a></p>`,
      `<p style="margin:0;font-size:13px;word-break:break-all"><a class="link" href="${url}" style="color:#0F766E">${url}</a></p>`,
    ];
    const notes = footnotes.map(
      (note) => `<p class="quiet" style="margin:16px 0 0;font-size:13px;color:#475569">${escapeHtml(note)}</p>`,
    );
    return `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${darkStyles}</style>
</head>
<body class="page" style="${pageStyle}">
<div style="max-width:560px;margin:0 auto">
<p class="link" style="margin:0 0 12px;font-size:18px;font-weight:700;color:#0F766E">Parley</p>
<div class="card" dir="auto" style="${cardStyle}">
${[...paragraphsHtml, ...(action ?? [])].join('\n')}
</div>
${notes.join('\n')}
</div>
</body>
</html>
`;
  }
}

const fonts = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const pageStyle = `margin:0;padding:24px 16px;background:#F8FAFC;color:#0F172A;font-family:${fonts};font-size:16px;line-height:1.5`;
const cardStyle = 'padding:24px;background:#FFFFFF;border:1px solid #E2E8F0;border-radius:8px;overflow-wrap:anywhere';
const buttonStyle =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#0F766E;color:#FFFFFF;font-weight:600;text-decoration:none';

/** The light theme is inline, because many mail clients drop style blocks. Clients with a dark mode read this block. */
const darkStyles = `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.page{background:#0F172A!important;color:#E2E8F0!important}
.card{background:#1E293B!important;border-color:#334155!important}
.link{color:#2DD4BF!important}
.quiet{color:#94A3B8!important}
}`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
