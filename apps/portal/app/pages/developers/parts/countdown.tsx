import { useEffect, useState } from 'react';
import { timeLeft } from './key-words.ts';

/** How long something still lasts. Told once the page is alive; until then the exact end, which is the same everywhere. */
export function Countdown({ until, over }: { until: string; over: string }) {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const exact = `${until.slice(0, 10)} ${until.slice(11, 16)} UTC`;
  if (now === undefined) return <time dateTime={until}>until {exact}</time>;
  const left = Date.parse(until) - now;
  return (
    <time dateTime={until} title={exact}>
      {left > 0 ? `for ${timeLeft(left)}` : over}
    </time>
  );
}
