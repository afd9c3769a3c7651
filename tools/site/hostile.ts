import { html, type Html } from './html.ts';
import { asCopied, embed, page, type Shop } from './layout.ts';

/** A page whose styles affect everything. Only the shop's own text is restored, by an id, so that it can be read. */
export function hostilePage(shop: Shop): Html {
  const tag = embed(shop, shop);
  return page({
    path: '/hostile',
    title: 'Hostile CSS',
    embeds: [tag],
    style: hostileStyle,
    main: html`<h1>The most hostile CSS we could write</h1>
      <p>
        The rules below target every element with <code>!important</code>. The shop’s own text is protected by an id.
        The chat isn’t, and must still look and work as it does on the other pages.
      </p>
      <p>
        <strong>Try it:</strong> open the chat and ask how long delivery takes. Typing, scrolling, focus and closing
        should all work.
      </p>
      <p>
        Here is one of the shop’s buttons: <button type="button">Buy</button> (you can’t see it, because buttons are
        hidden)
      </p>
      <p>And this is how unprotected text looks:</p>
      <div class="victim"><span>Help</span></div>
      <h2>CSS rules</h2>
      <pre>${hostileRules.trim()}</pre>
      <h2>Embed code</h2>
      <pre>${asCopied(tag)}</pre>
      <i class="war one">Sale</i><i class="war two">Sale</i><i class="war three">Sale</i>`,
  });
}

const hostileRules = `
:root { font-size: 40px !important; }
*, *::before, *::after {
  all: unset !important;
  display: block !important;
  box-sizing: content-box !important;
  position: static !important;
  float: left !important;
  max-width: 120px !important;
  max-height: 60px !important;
  margin: 7px !important;
  padding: 9px !important;
  border: 3px dashed lime !important;
  background: yellow !important;
  color: red !important;
  font: 700 30px/1 'Comic Sans MS', 'Comic Sans', cursive !important;
  letter-spacing: 8px !important;
  word-spacing: 30px !important;
  text-transform: uppercase !important;
  text-align: right !important;
  text-indent: 20px !important;
  text-shadow: 2px 2px lime !important;
  white-space: nowrap !important;
  direction: rtl !important;
  transform: rotate(4deg) !important;
  filter: hue-rotate(40deg) !important;
  opacity: .6 !important;
  overflow: hidden !important;
  pointer-events: none !important;
  cursor: none !important;
  transition: all 3s !important;
  z-index: -1 !important;
}
button, input, textarea, select { display: none !important; }
div, dialog, section, aside, [popover] { position: static !important; inset: auto !important; }
dialog, dialog[open], [popover] { width: 40px !important; visibility: hidden !important; }
iframe { width: 10px !important; height: 10px !important; }
svg, img { width: 300px !important; height: 5px !important; }
:empty, body > :last-child { display: none !important; }
:focus, :focus-visible { outline: none !important; }
::backdrop { background: lime !important; opacity: 1 !important; }
::placeholder { color: transparent !important; }
`;

const hostileStyle = `${hostileRules}
/* The rest only restores the shop's own text. */
head, head * { display: none !important; }
html, body { float: none !important; max-width: none !important; max-height: none !important; margin: 0 !important; padding: 0 !important; border: 0 !important; transform: none !important; filter: none !important; opacity: 1 !important; overflow: visible !important; background: none !important; pointer-events: auto !important; cursor: auto !important; direction: ltr !important; z-index: auto !important; }
html { color-scheme: light dark !important; background: light-dark(#fffbe6, #201c08) !important; min-height: 100% !important; }
#shop, #shop :where(:not(.victim, .victim *, button)) { transition: none !important; float: none !important; max-width: none !important; max-height: none !important; margin: 0 !important; padding: 0 !important; border: 0 !important; background: none !important; color: light-dark(#a30000, #ff9d9d) !important; font: 400 16px/1.5 'Comic Sans MS', 'Comic Sans', cursive !important; letter-spacing: .3px !important; word-spacing: 0 !important; text-transform: none !important; text-align: start !important; text-indent: 0 !important; text-shadow: none !important; white-space: normal !important; direction: ltr !important; transform: none !important; filter: none !important; opacity: 1 !important; overflow: visible !important; overflow-wrap: anywhere !important; pointer-events: auto !important; cursor: auto !important; z-index: auto !important; }
#shop { display: block !important; max-width: 960px !important; margin: 0 auto !important; padding: 0 16px 140px !important; }
#shop header { padding: 20px 0 12px !important; }
#shop .brand { font-weight: 700 !important; font-size: 19px !important; }
#shop .brand svg { display: none !important; }
#shop :is(code, strong, nav li, nav a, p a, footer a) { display: inline !important; }
#shop nav a { display: inline-block !important; padding: 6px 10px 6px 0 !important; text-decoration: underline !important; }
#shop a, #shop nav a { cursor: pointer !important; }
#shop [aria-current] { font-weight: 700 !important; text-decoration: none !important; }
#shop a:focus-visible { outline: 3px solid currentColor !important; }
#shop h1 { margin: 20px 0 8px !important; font-weight: 700 !important; font-size: 28px !important; line-height: 1.2 !important; }
#shop h2 { margin: 24px 0 8px !important; font-weight: 700 !important; font-size: 20px !important; }
#shop p { margin: 0 0 12px !important; }
#shop strong { font-weight: 700 !important; }
#shop pre, #shop code { font-family: ui-monospace, Menlo, Consolas, monospace !important; font-size: 13px !important; letter-spacing: 0 !important; white-space: pre-wrap !important; }
#shop .victim { float: none !important; margin-bottom: 40px !important; }
#shop footer { margin-top: 40px !important; }
#shop p.missing { display: none !important; }
[data-widget=missing] #shop p.missing { display: block !important; font-weight: 700 !important; }
#shop .war { position: fixed !important; z-index: 999999 !important; padding: 10px 18px !important; background: gold !important; color: #000 !important; font-weight: 700 !important; }
#shop .war.one { right: 0 !important; bottom: 0 !important; }
#shop .war.two { right: 0 !important; bottom: 60px !important; }
#shop .war.three { left: 0 !important; bottom: 0 !important; }
`;
