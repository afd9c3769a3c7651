import { html, type Html } from './html.ts';
import { embed, page, snippet, type Shop } from './layout.ts';

export function signedInPage(shop: Shop): Html {
  const tag = embed(shop, shop);
  return page({
    path: '/signed-in',
    title: 'Signed in',
    embeds: [tag],
    script: signIn,
    main: html`<h1>Signed-in visitors</h1>
      <p class="lead">
        Visitors who sign in to the shop are signed in to the chat too, and see the same conversation on every device.
      </p>
      <div class="row">
        <button type="button" data-user="ada">Sign in as Ada</button>
        <button type="button" data-user="grace">Sign in as Grace</button>
        <button type="button" class="second" data-user="">Sign out</button>
      </div>
      <p id="who" role="status">Not signed in.</p>
      <p class="try">
        <strong>Try it:</strong> ask a question as Ada, sign in as Grace, then switch back. Each sees only their own
        conversation, and signing out leaves nothing behind. If you say “Cancel my order A-1003”, Parley sends the
        shop’s backend a signed assertion of who is asking.
      </p>
      <section>
        <h2>How it works</h2>
        <p>
          The page gives the chat a function that calls the shop’s own server. The server knows who is signed in and
          requests a session from Parley with its server key. The key never reaches the page.
        </p>
        <pre><code>Chatbot.identify({
  getToken: () => fetch('/session?user=ada').then((answer) => answer.json())
})</code></pre>
      </section>
      ${snippet(tag)}`,
  });
}

const signIn = `const who = document.getElementById('who');
const names = { ada: 'Ada', grace: 'Grace' };
const tokenOf = async (user) => {
  const answer = await fetch('/session?user=' + encodeURIComponent(user));
  const { sessionToken, message } = await answer.json();
  if (answer.ok) return sessionToken;
  who.textContent = message;
  throw new Error(message);
};
async function become(user) {
  const before = sessionStorage.getItem('shop-user');
  if (before && before !== user) await Chatbot.reset();
  if (user) sessionStorage.setItem('shop-user', user);
  else sessionStorage.removeItem('shop-user');
  who.textContent = user ? 'Signed in as ' + names[user] + '.' : 'Not signed in.';
  if (user) await Chatbot.identify({ getToken: () => tokenOf(user) });
}
for (const button of document.querySelectorAll('[data-user]'))
  button.addEventListener('click', () => become(button.dataset.user));
const known = sessionStorage.getItem('shop-user');
if (known in names) {
  if (window.Chatbot) become(known);
  else document.querySelector('script[data-bot-id]').addEventListener('load', () => become(known));
}`;
