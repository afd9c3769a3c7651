import { randomBytes } from 'node:crypto';
import { html, raw } from './html.ts';
import { embed, page, snippet, type Shop } from './layout.ts';

/** A page under the strictest policy that a shop can have. The nonce is new in each response. */
export function strictPage(shop: Shop) {
  const nonce = randomBytes(16).toString('base64');
  const [api, cdn] = [new URL(shop.apiUrl).origin, new URL(shop.cdnUrl).origin];
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `connect-src ${[...new Set([api, cdn])].join(' ')}`,
    `img-src ${cdn}`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    'report-uri /reports',
  ];
  const tag = embed(shop, shop, { nonce });
  // Runs first: a module would start after the widget, and miss its first violations.
  const counter = html`<script nonce="${nonce}">
    ${raw(countViolations)};
  </script>`;
  const body = page({
    path: '/csp',
    title: 'Strict CSP',
    nonce,
    embeds: [counter, tag],
    main: html`<h1>Only the chat is allowed</h1>
      <p class="lead">
        This page has a strict Content Security Policy with no exceptions for styles, frames, fonts or eval, and it
        enforces Trusted Types with no policies.
      </p>
      <p class="figure" role="status"><span id="violations">0 violations</span></p>
      <ul id="list"></ul>
      <p class="try">
        <strong>Try it:</strong> open the chat and ask a question. The count stays at 0, and the list of
        <a href="/reports">violation reports</a> on this shop’s server stays empty.
      </p>
      <p><button type="button" class="second" id="break">Trigger a violation</button> to check that counting works.</p>
      <section>
        <h2>The policy</h2>
        <pre><code>${policy.join(';\n')}</code></pre>
      </section>
      ${snippet(tag)}`,
  });
  return { body, headers: { 'content-security-policy': policy.join('; ') } };
}

const countViolations = `let count = 0;
document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
  count++;
  const item = document.createElement('li');
  item.textContent = [effectiveDirective, blockedURI, sourceFile].filter(Boolean).join(' · ');
  const show = () => {
    document.getElementById('violations').textContent = count === 1 ? '1 violation' : count + ' violations';
    document.getElementById('list').append(item);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show);
  else show();
});
document.addEventListener('click', ({ target }) => {
  if (target.id === 'break') target.setAttribute('style', 'color: red');
});`;
