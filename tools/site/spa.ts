import { html, type Html } from './html.ts';
import { embed, page, snippet, type Shop } from './layout.ts';

const routes = {
  '/spa': ['Start', 'Go from view to view. The page is loaded once; only its parts are replaced.'],
  '/spa/bikes': ['Bikes', 'The Fjord 3 with a belt instead of a chain, and the Little Auk for legs that still grow.'],
  '/spa/workshop': ['Workshop', 'A small service takes a day and costs €69, a large one two days and €129.'],
  '/spa/basket': ['Basket', 'Empty. Ask the chat from which sum on delivery is free.'],
} as const;
type Route = keyof typeof routes;

export const isRoute = (path: string): path is Route => Object.hasOwn(routes, path);

export function singlePage(shop: Shop, path: Route): Html {
  const tag = embed(shop, shop);
  const [name, text] = routes[path];
  return page({
    path: '/spa',
    title: name,
    embeds: [tag],
    script: going,
    main: html`<h1 tabindex="-1">A page that never reloads</h1>
      <p class="lead">
        Views change by <code>history.pushState</code>; an open chat stays open, with the words half written in it.
      </p>
      <nav aria-label="Views">
        <ul>
          ${Object.entries(routes).map(([to, [title]]) => html`<li><a data-view href="${to}" ${to === path ? html`aria-current="page"` : ''}>${title}</a></li>`)}
        </ul>
      </nav>
      <section class="view">
        <h2 id="view">${name}</h2>
        <p>${text}</p>
      </section>
      <p class="try">
        <strong>Try it:</strong> open the chat, write half a sentence, and press these. The second throws away
        <code>document.body</code> and puts a new one in its place, as Turbo does.
      </p>
      <div class="row">
        <button type="button" data-replace="main">Render the main part again</button>
        <button type="button" data-replace="body">Replace the body</button>
      </div>
      <p id="counts" role="status">Nothing replaced yet.</p>
      ${snippet(tag)}`,
  });
}

/** Listens at the document, which stays when the body goes. */
const going = `const loaded = new Date().toLocaleTimeString();
const counts = { view: 0, main: 0, body: 0 };
let newest = 0;
async function replace(part, why) {
  const turn = ++newest;
  const markup = await (await fetch(location.pathname)).text();
  if (turn !== newest) return; // somebody was quicker than the answer
  const next = new DOMParser().parseFromString(markup, 'text/html');
  document.title = next.title;
  document.querySelector(part).replaceWith(document.adoptNode(next.querySelector(part)));
  counts[why]++;
  document.getElementById('counts').textContent =
    'Loaded once, at ' + loaded + '. Since then: views ' + counts.view + ', main part ' + counts.main + ', body ' + counts.body + '.';
}
document.addEventListener('click', async (event) => {
  const link = event.target.closest?.('a[data-view]');
  const button = event.target.closest?.('[data-replace]');
  if (button) {
    const part = button.dataset.replace;
    await replace(part, part);
    document.querySelector('[data-replace=' + part + ']').focus({ preventScroll: true });
  }
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  await replace('main', 'view');
  document.querySelector('h1').focus();
});
addEventListener('popstate', () => replace('main', 'view'));`;
