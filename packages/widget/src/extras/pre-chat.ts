import { h } from '../shared/dom.ts';
import type { ExtrasDeps } from './extras.ts';

const inputs = {
  name: { label: 'yourName', maxlength: 100, autocomplete: 'name' },
  // Browsers accept more than the API as an email address.
  email: { label: 'yourEmail', maxlength: 254, autocomplete: 'email', type: 'email', pattern: '[^\\s@]+@[^\\s@]+' },
} as const;

/** Asks for a name or an email address before the first message. */
export function preChatForm({ client, setup, t }: ExtrasDeps, slot: HTMLElement): void {
  const { fields, isRequired } = setup().preChat!;
  const form = h(
    'form',
    {
      submit: (event: SubmitEvent) => {
        event.preventDefault();
        const entered = [...new FormData(form)].map(([name, value]) => [name, (value as string).trim()]);
        client().setAbout(Object.fromEntries(entered.filter(([, value]) => value)) as object);
      },
    },
    h('strong', {}, t('introduce')),
    ...fields.map((name) => {
      const { label, ...props } = inputs[name];
      return h('label', {}, t(label), h('input', { name, required: isRequired, dir: 'auto', ...props }));
    }),
    h(
      'div',
      { class: 'chips' },
      h('button', { class: 'main' }, t('start')),
      !isRequired && h('button', { type: 'button', class: 'chip', click: () => client().setAbout({}) }, t('skip')),
    ),
  );
  slot.append(form);
}
