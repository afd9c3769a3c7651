import { h } from '../shared/dom.ts';

/** Live region for screen readers. The text is removed after a while, so that it is not read again. */
export function createAnnouncer() {
  const node = h('div', { class: 'sr', role: 'status' });
  let timer: number | undefined;
  return {
    node,
    announce(text: string) {
      clearTimeout(timer);
      node.textContent = text;
      timer = setTimeout(() => (node.textContent = ''), 4_000);
    },
  };
}
