import type { CaughtEmail } from './index.ts';

export function listPage(newestFirst: readonly CaughtEmail[], smtpUrl: string): string {
  const rows = newestFirst.map(
    ({ id, to, subject, receivedAt }) => `<li><a href="/messages/${id}">
<span class="subject">${escapeHtml(subject || 'No subject')}</span>
<span class="to">${escapeHtml(to.join(', '))}</span>
<time datetime="${receivedAt}" title="${receivedAt}">${ago(receivedAt)}</time>
</a></li>`,
  );
  const empty = `<div class="empty">
<h2>No emails yet</h2>
<p>Emails sent by Parley appear here instead of being delivered. To see one, invite a member or reset a password. This page
refreshes automatically.</p>
<p>Other programs can send email here too, over SMTP without authentication: <code>${escapeHtml(smtpUrl)}</code></p>
</div>`;
  const list = `<p class="quiet">Newest first. Nothing leaves this machine.</p>
<ul class="emails">${rows.join('\n')}</ul>`;
  return page({
    title: 'Emails',
    head: '<meta http-equiv="refresh" content="5">',
    body: `<h1>Emails</h1>${rows.length > 0 ? list : empty}`,
  });
}

export function messagePage({ id, to, from, subject, text, html, messageId, receivedAt }: CaughtEmail): string {
  const facts = [
    ['To', to.join(', ')],
    ['From', from],
    ['Received', `${receivedAt.replace('T', ' ').slice(0, 19)} UTC`],
    ['Message-ID', messageId],
  ];
  const parts = [
    text && `<section><h2>Text</h2><pre>${withLinks(text.trimEnd())}</pre></section>`,
    html &&
      `<section><h2>HTML</h2><iframe sandbox="" src="/messages/${id}/html" title="HTML version of the email"></iframe>
<p class="quiet">Links don’t work in this preview. Use the links in the text version.</p></section>`,
  ].filter(Boolean);
  return page({
    title: subject || 'No subject',
    body: `<nav><a href="/">All emails</a></nav>
<h1>${escapeHtml(subject || 'No subject')}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value ?? '')}</dd>`).join('')}</dl>
<div class="parts">${parts.join('\n') || '<p>This email is empty.</p>'}</div>`,
  });
}

export const missingPage = () =>
  page({
    title: 'Email not found',
    body: `<h1>Email not found</h1><p>Only recent emails are kept, and only until Parley stops. <a href="/">All emails</a></p>`,
  });

function page({ title, head = '', body }: { title: string; head?: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${escapeHtml(title)} · Parley mail</title>
<style>${style}</style>
</head>
<body>
<header><a href="/">Parley mail</a></header>
<main>${body}</main>
</body>
</html>
`;
}

/** The text with its URLs as links. A full stop or bracket after a URL is not part of it. */
function withLinks(text: string): string {
  const segments = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/);
  return segments
    .map((segment, n) => {
      const escaped = escapeHtml(segment);
      return n % 2 === 1 ? `<a href="${escaped}" target="_blank" rel="noopener noreferrer">${escaped}</a>` : escaped;
    })
    .join('');
}

function ago(time: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return time.slice(0, 10);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

const style = `
:root { color-scheme: light dark; --page: #f8fafc; --card: #fff; --line: #e2e8f0; --text: #0f172a; --quiet: #475569; --teal: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f172a; --card: #1e293b; --line: #334155; --text: #e2e8f0; --quiet: #94a3b8; --teal: #2dd4bf; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
a { color: var(--teal); }
a:focus-visible { outline: 2px solid var(--teal); outline-offset: 2px; border-radius: 4px; }
header { padding: 12px max(16px, calc((100% - 1088px) / 2)); background: var(--card); border-bottom: 1px solid var(--line); }
header a { font-weight: 700; font-size: 16px; text-decoration: none; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 16px; overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25; }
h2 { margin: 0 0 8px; font-size: 15px; }
nav { margin-bottom: 16px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px; }
.quiet { color: var(--quiet); margin: 0 0 16px; }
.emails, .empty, pre, iframe { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.emails { list-style: none; margin: 0; padding: 0; overflow: hidden; }
.emails li + li { border-top: 1px solid var(--line); }
.emails a { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; padding: 12px 16px; color: inherit; text-decoration: none; }
.emails a:hover { background: var(--page); }
.emails a:focus-visible { outline-offset: -2px; }
.subject { font-weight: 600; }
.to { grid-row: 2; grid-column: 1 / -1; color: var(--quiet); }
time { color: var(--quiet); white-space: nowrap; }
.empty { padding: 24px; max-width: 640px; margin-top: 16px; }
.empty p { margin: 8px 0 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 0 0 24px; }
dt { color: var(--quiet); }
dd { margin: 0; }
.parts { display: grid; gap: 24px; grid-template-columns: minmax(0, 1fr); }
pre { margin: 0; padding: 16px; white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 640px; }
iframe + .quiet { margin: 8px 0 0; }
@media (min-width: 900px) { .parts { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
`;
