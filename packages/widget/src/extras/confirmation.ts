import { h } from '../shared/dom.ts';
import type { ConfirmationState } from '../shared/wire.ts';
import type { ExtrasDeps } from './extras.ts';
import { createRequests, whileBusy } from './requests.ts';

/** What an action will do, with two buttons; after that, the visitor's answer. */
export function confirmationCard({ client, t, attempt }: ExtrasDeps, slot: HTMLElement, request: ConfirmationState) {
  const { runId, argsHash, title, fields, confirmLabel, answer, expiresAt } = request;
  const isExpired = answer === undefined && Date.parse(expiresAt) < Date.now();
  const { confirm } = createRequests(client);
  const button = (label: string, isConfirmed: boolean, kind: string) =>
    h(
      'button',
      {
        type: 'button',
        class: kind,
        click: () => attempt(() => whileBusy(slot, () => confirm(runId, argsHash, isConfirmed))),
      },
      label,
    );
  slot.role = 'group';
  slot.ariaLabel = title;
  slot.part = 'confirmation';
  slot.append(
    h('strong', { dir: 'auto' }, title),
    h('dl', {}, ...fields.flatMap(({ label, value }) => [h('dt', {}, label), h('dd', { dir: 'auto' }, value)])),
    answer !== undefined || isExpired
      ? h('p', {}, t(isExpired ? 'expired' : answer ? 'confirmed' : 'declined'))
      : h(
          'div',
          { class: 'chips' },
          button(confirmLabel || t('confirm'), true, 'main'),
          button(t('decline'), false, 'chip'),
        ),
  );
}
