import { h } from '../shared/dom.ts';

/** Says one thing at a time to whoever listens to the page. What was said is taken away, so that nobody reads it twice. */
export function createAnnouncer() {
  const node = h('div', { class: 'sr', role: 'status' });
  let timer: number | undefined;
  return {
    node,
    say(text: string) {
      clearTimeout(timer);
      node.textContent = text;
      timer = setTimeout(() => (node.textContent = ''), 4_000);
    },
  };
}
