import { h, icon } from '../shared/dom.ts';
import type { ExtrasDeps } from './extras.ts';
import { createRequests, whileBusy } from './requests.ts';

/** From unhappy to happy: a label, and the mouth below two eyes. The style sheet draws the circle around them. */
const choices = [
  ['rateTerrible', 'M8 17q4-5 8 0'],
  ['rateBad', 'M8 16q4-2.5 8 0'],
  ['rateOkay', 'M8 15.5h8'],
  ['rateGood', 'M8 15q4 2.5 8 0'],
  ['rateGreat', 'M8 14q4 5 8 0'],
] as const;
const eyes = 'M9 9.5v.01M15 9.5v.01';

/** Five faces with labels; after a choice, an optional comment. */
export function ratingForm(
  { client, t, attempt }: ExtrasDeps,
  labelledBy: string,
  id: string | undefined,
  onRated: () => void,
): HTMLElement {
  const comment = h('textarea', { rows: 2, maxlength: 1_000, 'aria-label': t('comment'), placeholder: t('comment') });
  const more = h('div', { class: 'more', hidden: true }, comment, h('button', { class: 'main' }, t('send')));
  const faces = choices.map(([label, mouth], at) =>
    h(
      'label',
      { class: 'face' },
      h('input', { type: 'radio', name: 'rating', value: at + 1, required: true, 'aria-label': t(label) }),
      icon(`${eyes}${mouth}`),
      h('span', {}, t(label)),
    ),
  );
  const form = h(
    'form',
    {
      submit: (event: SubmitEvent) => {
        event.preventDefault();
        const rating = Number(new FormData(form).get('rating'));
        attempt(() =>
          whileBusy(form, async () => {
            await createRequests(client).rate(id ?? client().currentConversation().id!, rating, comment.value.trim());
            if (form.isConnected) onRated(); // otherwise the visitor has closed it
          }),
        );
      },
    },
    h('div', { class: 'faces', role: 'radiogroup', 'aria-labelledby': labelledBy }, ...faces),
    more,
  );
  form.addEventListener('change', () => {
    more.hidden = false;
    more.scrollIntoView({ block: 'nearest' });
  });
  return form;
}
