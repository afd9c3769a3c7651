import { html, type Html } from './html.ts';
import { asCopied, embed, page, snippet, type Shop } from './layout.ts';

const products = html`<ul class="cards">
  <li>
    <h3>Fjord 3</h3>
    <p>A city bike with a belt instead of a chain. €890</p>
  </li>
  <li>
    <h3>Fjord Electric</h3>
    <p>The same bike with a motor. 110 km on one charge. €2,490</p>
  </li>
  <li>
    <h3>Little Auk</h3>
    <p>A 20-inch bike for growing riders. €340</p>
  </li>
</ul>`;

/** Shown exactly as they are run. */
const calls = [
  ['Open', 'Chatbot.open()'],
  ['Ask', "Chatbot.send('How long does delivery take?')"],
  ['Order', "Chatbot.send('Where is my order A-1001?')"],
  ['Dark', "Chatbot.set({ theme: 'dark' })"],
  ['Light', "Chatbot.set({ theme: 'light' })"],
  ['Close', 'Chatbot.close()'],
  ['Reset', 'Chatbot.reset()'],
] as const;

export const plainPage = (shop: Shop): Html => shopPage(shop, [embed(shop, shop)]);
/** The same without a widget: the difference is its cost. */
export const barePage = (shop: Shop): Html => shopPage(shop, []);

function shopPage(shop: Shop, embeds: readonly Html[]): Html {
  return page({
    path: '/',
    title: 'Bikes and help',
    embeds,
    main: html`<h1>Bikes for wet mornings</h1>
      <p class="lead">Built in Hamburg, where it rains every other day. Guaranteed for ten years.</p>
      <p class="try">
        <strong>Try it:</strong> open the chat in the corner and ask how long delivery takes, how to store a battery
        over the winter, or how to send something back. Then reload: the conversation is still there.
      </p>
      <p class="try">
        <strong>Try an action:</strong> ask “Where is my order A-1001?” or say “Cancel my order A-1002”. The chat calls
        the shop’s own backend, and asks you to confirm before it changes anything.
      </p>
      <section>
        <h2>This season</h2>
        ${products}
      </section>
      <section>
        <h2>Good to know</h2>
        <ul class="cards">
          <li>
            <h3>Delivery</h3>
            <p>Anywhere in Germany. Bikes arrive fully assembled.</p>
          </li>
          <li>
            <h3>Returns</h3>
            <p>Changed your mind? Ask the chat how long you have.</p>
          </li>
          <li>
            <h3>Workshop</h3>
            <p>A small service costs €69. Book it in your account.</p>
          </li>
        </ul>
      </section>
      <section>
        <h2>JavaScript API</h2>
        <p>Control the chat from your own code with <code>window.Chatbot</code>.</p>
        <table>
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Run</th>
            </tr>
          </thead>
          <tbody>
            ${calls.map(
              ([name, code]) =>
                html`<tr>
                  <td><code>${code}</code></td>
                  <td><button type="button" onclick="${code}">${name}</button></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </section>
      ${snippet(embed(shop, shop))}`,
  });
}

export function framePage(shop: Shop): Html {
  const tag = embed(shop, shop, { 'data-isolation': 'iframe' });
  return page({
    path: '/frame',
    title: 'Iframe',
    embeds: [tag],
    main: html`<h1>The chat in an iframe</h1>
      <p class="lead">With <code>data-isolation="iframe"</code>, the chat is a separate document on Parley’s domain.</p>
      <p>
        The shop’s scripts can’t read the conversation, and its styles don’t affect the chat. It looks and works the
        same.
      </p>
      <p class="try">
        <strong>Try it:</strong> ask something, then look for the conversation in the elements of this page: there is
        only a frame.
      </p>
      ${products}${snippet(tag)}`,
  });
}

export function twoPage(shop: Shop): Html {
  const second = shop.modelBot ?? shop;
  const tags = [embed(shop, shop), embed(shop, second, { 'data-side': 'left' })];
  const call = `Chatbot.bots[${JSON.stringify(second.botId)}].open()`;
  return page({
    path: '/two',
    title: 'Two bots',
    embeds: tags,
    main: html`<h1>Two bots on one page</h1>
      <p class="lead">The bot on the right quotes the help pages. The bot on the left answers with an AI model.</p>
      <p>Each has its own key, session and conversation. They don’t share anything.</p>
      <p class="try"><strong>Try it:</strong> ask both how long the warranty is and compare the answers.</p>
      <p>Calls without a bot ID go to the first bot. To call the second one: <code>${call}</code></p>
      <div class="row"><button type="button" onclick="${call}">Open second bot</button></div>
      ${products}${snippet(...tags)}`,
  });
}

export function consentPage(shop: Shop): Html {
  const tag = embed(shop, shop, { 'data-consent': 'required' });
  return page({
    path: '/consent',
    title: 'Consent',
    embeds: [tag],
    script: `const said = document.getElementById('said');
for (const button of document.querySelectorAll('[data-consent-to]'))
  button.addEventListener('click', () => {
    const agrees = button.dataset.consentTo === 'true';
    Chatbot.consent(agrees);
    said.textContent = agrees ? 'You accepted. The chat can remember you.' : 'You declined. The chat stores nothing.';
  });`,
    main: html`<h1>Consent first</h1>
      <p class="lead">
        With <code>data-consent="required"</code>, the chat stores nothing in the browser until the visitor agrees.
      </p>
      <section class="try" aria-labelledby="banner">
        <h2 id="banner">May the chat remember you?</h2>
        <p>It would store a token in this browser, so your conversation is still there after a reload.</p>
        <div class="row">
          <button type="button" data-consent-to="true">Yes, remember me</button>
          <button type="button" class="second" data-consent-to="false">No, thanks</button>
        </div>
        <p id="said" role="status">You haven’t decided yet.</p>
      </section>
      <p>
        The buttons call <code>Chatbot.consent(true)</code> and <code>Chatbot.consent(false)</code>. Check the page’s
        storage in your browser’s developer tools before and after.
      </p>
      ${products}${snippet(tag)}`,
  });
}

export function rightToLeftPage(shop: Shop): Html {
  const tag = embed(shop, shop, { 'data-locale': 'ar' });
  return page({
    path: '/rtl',
    title: 'من اليمين إلى اليسار',
    language: 'ar',
    embeds: [tag],
    main: html`<h1>من اليمين إلى اليسار</h1>
      <p class="lead">تتبع المحادثة لغة الصفحة واتجاهها.</p>
      <p class="try">
        <strong>جرّب:</strong> افتح المحادثة واسأل عن مدة التوصيل. المعلومات المتاحة لها مكتوبة بالإنجليزية، فاسأل بها:
        <bdi lang="en">How long does delivery take?</bdi>
      </p>
      <ul class="cards">
        <li>
          <h3>التوصيل</h3>
          <p>يستغرق التوصيل داخل ألمانيا من يومين إلى أربعة أيام عمل.</p>
        </li>
        <li>
          <h3>الإرجاع</h3>
          <p>يمكنك إرجاع أي شيء خلال 30 يومًا دون ذكر السبب.</p>
        </li>
        <li>
          <h3>مواعيد العمل</h3>
          <p>متجرنا في هامبورغ مفتوح من الاثنين إلى السبت.</p>
        </li>
      </ul>
      <section>
        <h2>الشيفرة في هذه الصفحة</h2>
        <pre><code>${asCopied(tag)}</code></pre>
      </section>`,
  });
}
