import { useNow } from '@parley/portal-kit/ui';
import { timeLeft } from './key-labels.ts';

/** "in 3 h 12 min", updated every second. Until hydration it is the exact time, which is the same on the server. */
export function Countdown({ until }: { until: string }) {
  const now = useNow(1_000);
  const exact = `${until.slice(0, 10)} ${until.slice(11, 16)} UTC`;
  if (now === undefined) return <time dateTime={until}>on {exact}</time>;
  const left = Date.parse(until) - now;
  return (
    <time dateTime={until} title={exact}>
      {left > 0 ? `in ${timeLeft(left)}` : 'now'}
    </time>
  );
}
