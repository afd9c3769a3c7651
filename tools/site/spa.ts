import { html, type Html } from './html.ts';
import { embed, page, snippet, type Shop } from './layout.ts';

const routes = {
  '/spa': ['Start', 'Switch between views. The page loads once, and only its content is replaced.'],
  '/spa/bikes': ['Bikes', 'The Fjord 3 with a belt instead of a chain, and the Little Auk for growing riders.'],
  '/spa/workshop': ['Workshop', 'A small service takes a day and costs €69, a large one two days and €129.'],
  '/spa/basket': ['Basket', 'Your basket is empty. Ask the chat when delivery is free.'],
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
    script: navigation,
    main: html`<h1 tabindex="-1">Single-page app</h1>
      <p class="lead">
        Views change with <code>history.pushState</code>. The chat stays open and keeps what you’ve typed.
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
        <strong>Try it:</strong> open the chat, type half a sentence, then use these buttons. The second one replaces
        <code>document.body</code>, as Turbo does.
      </p>
      <div class="row">
        <button type="button" data-replace="main">Re-render main content</button>
        <button type="button" data-replace="body">Replace body</button>
      </div>
      <p id="counts" role="status">Nothing replaced yet.</p>
      ${snippet(tag)}`,
  });
}

/** Listens on the document, which stays when the body is replaced. */
const navigation = `const loaded = new Date().toLocaleTimeString();
const counts = { view: 0, main: 0, body: 0 };
let newest = 0;
async function replace(part, why) {
  const turn = ++newest;
  const markup = await (await fetch(location.pathname)).text();
  if (turn !== newest) return; // a newer navigation has started
  const next = new DOMParser().parseFromString(markup, 'text/html');
  document.title = next.title;
  document.querySelector(part).replaceWith(document.adoptNode(next.querySelector(part)));
  counts[why]++;
  document.getElementById('counts').textContent =
    'Loaded once, at ' + loaded + '. Replaced since then: view ' + counts.view + ', main ' + counts.main + ', body ' + counts.body + '.';
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
