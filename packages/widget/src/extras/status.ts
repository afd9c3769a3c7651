import { timeOf } from '../chat/rows.ts';
import type { ExtrasDeps } from './extras.ts';

/** When the team answers, or when it is back. */
export function statusText({ setup, locale, t }: ExtrasDeps): string {
  const { isOpen, opensAt, replyMinutes } = setup().availability!;
  if (!isOpen)
    return opensAt && Date.parse(opensAt) > Date.now() ? t('backAt', { time: timeOf(opensAt, locale()) }) : '';
  if (!replyMinutes) return '';
  const [unit, count] = replyMinutes < 60 ? ['minute', replyMinutes] : ['hour', Math.round(replyMinutes / 60)];
  const time = new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' });
  return t('replyTime', { time: time.format(count) });
}
