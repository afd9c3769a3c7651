import { timeOf } from '../chat/rows.ts';
import { createRefresh } from '../shared/availability.ts';
import type { ExtrasDeps } from './extras.ts';

/** When the team answers, or when it is back. */
function statusText({ setup, locale, t }: ExtrasDeps): string {
  const { isOpen, opensAt, replyMinutes } = setup().availability!;
  if (!isOpen)
    return opensAt && Date.parse(opensAt) > Date.now() ? t('backAt', { time: timeOf(opensAt, locale()) }) : '';
  if (!replyMinutes) return '';
  const [unit, count] = replyMinutes < 60 ? ['minute', replyMinutes] : ['hour', Math.round(replyMinutes / 60)];
  const time = new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' });
  return t('replyTime', { time: time.format(count) });
}

/** Shows the status, and again if it has changed since the page was loaded. */
export function createStatus(deps: ExtrasDeps): (node: HTMLElement) => void {
  const { setup } = deps;
  let shownIn: HTMLElement | undefined;
  const show = () => (shownIn!.textContent = statusText(deps));
  const refresh = createRefresh(deps, (availability) => {
    setup().availability = availability;
    show();
  });
  return (node) => {
    shownIn = node;
    show();
    // The page around our frame does this: requests to the same origin have no Origin header, and are refused.
    if (!deps.base.startsWith(location.origin)) refresh();
  };
}
