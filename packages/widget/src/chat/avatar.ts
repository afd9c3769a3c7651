import { h, icon } from '../shared/dom.ts';

const mark = 'M4 5h16v11H9l-5 4z';

/** The bot's mark, or the initials of an agent on a colour that stays the same. */
export function avatar(name?: string): HTMLElement {
  const initials = name?.split(/\s+/, 2).map(([first]) => first);
  const node = h('span', { class: 'avatar', part: 'avatar', 'aria-hidden': 'true' }, initials?.join('') || icon(mark));
  if (name) {
    let hue = 0;
    for (let at = 0; at < name.length; at++) hue = (hue * 31 + name.charCodeAt(at)) % 360;
    node.style.background = `hsl(${hue} 50% 30%)`; // dark enough for white text, whatever the hue
  }
  return node;
}
