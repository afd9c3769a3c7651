export interface Chat {
  apiUrl: string;
  publicKey: string;
  botId: string;
}

/** One page without a framework: a session, a message, and the answer as it comes. */
export const page = ({ apiUrl, publicKey, botId }: Chat) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Northlight Bikes: help</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --accent: #0f766e; --line: color-mix(in srgb, currentColor 18%, transparent) }
  * { box-sizing: border-box }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 7rem }
  h1 { font-size: 1.4rem; margin: 0 }
  p.lead { margin: .25rem 0 1.5rem; opacity: .75 }
  ol { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem }
  li { scroll-margin-bottom: 6rem; padding: .6rem .9rem; border-radius: 1rem; max-width: 85%; white-space: pre-wrap; overflow-wrap: anywhere }
  li.visitor { background: var(--accent); color: #fff; justify-self: end }
  li.bot { border: 1px solid var(--line) }
  li small { display: block; opacity: .7; margin-top: .4rem }
  li.trouble { border: 1px solid #b91c1c }
  form { position: fixed; inset: auto 0 0; padding: .75rem 1rem; background: Canvas; border-top: 1px solid var(--line) }
  form > div { max-width: 38rem; margin: 0 auto; display: flex; gap: .5rem }
  input { flex: 1; min-width: 0; font: inherit; padding: .65rem .8rem; border: 1px solid var(--line); border-radius: .7rem; background: Field; color: FieldText }
  button { font: inherit; min-height: 44px; padding: 0 1.1rem; border: 0; border-radius: .7rem; background: var(--accent); color: #fff; cursor: pointer }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  button[disabled] { opacity: .5; cursor: default }
</style>
<h1>Northlight Bikes</h1>
<p class="lead">Ask about delivery, returns, batteries or opening hours.</p>
<ol id="log" role="log" aria-live="polite" aria-label="Conversation"></ol>
<form id="form"><div>
  <label for="text" hidden>Your question</label>
  <input id="text" aria-label="Your question" placeholder="How long do I have to send it back?" autocomplete="off" maxlength="4000" required>
  <button>Ask</button>
</div></form>
<script>
const api = ${JSON.stringify(apiUrl)}, publicKey = ${JSON.stringify(publicKey)}, botId = ${JSON.stringify(botId)};
const log = document.getElementById('log'), form = document.getElementById('form'), text = document.getElementById('text');
const button = form.querySelector('button');
const post = (path, body, accept) => fetch(api + path, { method: 'POST', headers: { 'content-type': 'application/json', accept: accept ?? 'application/json' }, body: JSON.stringify(body) });
const refusal = async (answer) => (await answer.json().catch(() => null))?.error?.message ?? 'Something went wrong. Please try again.';
const add = (role, words) => { const item = document.createElement('li'); item.className = role; item.textContent = words; log.append(item); item.scrollIntoView({ block: 'end' }); return item };
let session;
async function open() {
  const answer = await post('/widget/sessions/anonymous', { publicKey, botId, visitorId: 'demo-page' });
  if (!answer.ok) throw new Error(await refusal(answer));
  session = await answer.json();
}
function finish(item, message) {
  item.textContent = message.text.replaceAll('**', ''); // the widget renders Markdown; this page only shows words
  for (const { n, title, heading, url } of message.citations) {
    const source = document.createElement('small');
    source.textContent = '[' + n + '] ' + [title, heading].filter(Boolean).join(' › ');
    item.append(source);
  }
  item.scrollIntoView({ block: 'end' });
}
async function ask(question) {
  if (!session || new Date(session.expiresAt) < new Date(Date.now() + 60_000)) await open();
  const body = { sessionToken: session.sessionToken, message: question, clientMessageId: crypto.randomUUID() };
  const answer = await post('/widget/chatbots/' + botId + '/message', body, 'text/event-stream');
  if (!answer.ok) throw new Error(await refusal(answer));
  const item = add('bot', '…');
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', shown = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    rest += value;
    for (let end; (end = rest.indexOf('\\n\\n')) >= 0; rest = rest.slice(end + 2)) {
      const lines = rest.slice(0, end).split('\\n');
      const field = (name) => lines.find((line) => line.startsWith(name + ': '))?.slice(name.length + 2);
      if (!field('data')) continue;
      const data = JSON.parse(field('data'));
      if (field('event') === 'reply.delta') item.textContent = shown = shown.slice(0, data.at) + data.text;
      if (field('event') === 'reply.completed') finish(item, data.message);
    }
  }
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const question = text.value.trim();
  if (!question) return;
  text.value = ''; button.disabled = true; add('visitor', question);
  await ask(question).catch((error) => add('bot trouble', error.message));
  button.disabled = false; text.focus();
});
</script>
`;
