import type { FastifyInstance } from 'fastify';
import { HttpError, setPolicy, type PortalExtras } from '@parley/portal-kit/server';

/**
 * The real widget with a bot's draft, in a frame. The widget loads its files and its config relative to its script, so
 * both are served here: files are proxied from the CDN, and the config is built from the draft.
 */
export function previewRoutes(app: FastifyInstance, { config, sessionOf, nonceOf }: PortalExtras): void {
  const { API_URL, PUBLIC_API_URL, PORTAL_URL } = config;
  const isSecure = PORTAL_URL.startsWith('https:');
  type PreviewRoute = { Params: { botId: string; file: string } };

  app.get<PreviewRoute>('/preview/:botId', async (request, reply) => {
    const nonce = nonceOf(request);
    const { botId } = request.params;
    if (!/^bot_\w+$/.test(botId)) throw new HttpError(404, 'not_found', 'There is no such bot.');
    setPolicy(reply, { nonce, isSecure, isFramed: true, connect: [new URL(PUBLIC_API_URL).origin] });
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page(botId, nonce));
  });

  app.get<PreviewRoute>('/preview/:botId/config/:file', async (request, reply) => {
    const { data, response } = await sessionOf(request).service.GET('/bots/{id}', {
      params: { path: { id: request.params.file } },
    });
    if (!data) throw new HttpError(response.status, 'not_found', 'There is no such bot.');
    const { draft, id: botId, retentionDays } = data.bot;
    const { title, greeting, quickReplies, disclosure, languages, appearance, texts, handoff } = draft;
    const widgetConfig = { title, greeting, quickReplies, disclosure, languages, appearance, texts };
    return reply.header('cache-control', 'no-store').send({
      ...widgetConfig,
      botId,
      versionId: 'draft',
      isHandoffOffered: handoff.isOffered,
      apiUrl: PUBLIC_API_URL,
      retentionDays,
    });
  });

  app.get<PreviewRoute>('/preview/:botId/:file', async (request, reply) => {
    const { file } = request.params;
    if (!/^[\w-]+(\.[\w-]+)+$/.test(file)) throw new HttpError(404, 'not_found', 'There is no such file.');
    const response = await fetch(`${API_URL}/cdn/${file}`, { redirect: 'error' });
    const type = response.headers.get('content-type') ?? 'application/octet-stream';
    return reply
      .status(response.status)
      .type(type)
      .header('cache-control', 'private, max-age=300')
      .send(Buffer.from(await response.arrayBuffer()));
  });
}

/** A page with only the opened widget and a session of the signed-in member. The parent page can set its appearance. */
const page = (botId: string, nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Preview</title>
<style nonce="${nonce}">:root{color-scheme:light dark}body{margin:0;height:100vh}</style>
<script nonce="${nonce}">
window.Chatbot = function () { (Chatbot.q = Chatbot.q || []).push(arguments) };
Chatbot('identify', { getToken: function () {
  return fetch('/api/bots/${botId}/try', { method: 'POST', headers: { 'x-requested-with': 'portal' } })
    .then(function (response) { if (!response.ok) throw new Error('no session'); return response.json() })
    .then(function (session) { return { sessionToken: session.sessionToken } });
} });
// The preview opens without user action, so it must not take the focus until the user clicks or presses a key in it. A
// dialog takes the focus when it is shown, but not when its open attribute is set; nothing else here needs to be inert.
var focus = HTMLElement.prototype.focus;
HTMLElement.prototype.focus = function () {};
HTMLDialogElement.prototype.show = HTMLDialogElement.prototype.showModal = function () { this.setAttribute('open', '') };
['pointerdown', 'keydown'].forEach(function (kind) {
  addEventListener(kind, function () { HTMLElement.prototype.focus = focus }, { capture: true, once: true });
});
Chatbot('open');
addEventListener('message', function (event) {
  if (event.origin === location.origin && event.data && event.data.type === 'appearance') Chatbot('set', event.data.appearance);
});
</script>
<script src="/preview/${botId}/chatbot-widget.js" data-bot-id="${botId}" data-public-key="draft" nonce="${nonce}" async></script>
</head>
<body></body>
</html>`;
