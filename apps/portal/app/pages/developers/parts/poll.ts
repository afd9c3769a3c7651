import { useEffect } from 'react';

/** Does something again and again while the tab is looked at, each time only after the last has ended. */
export function usePoll(isOn: boolean, everyMs: number, work: () => Promise<unknown>) {
  useEffect(() => {
    if (!isOn) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const plan = () => {
      if (!isOver) timer = setTimeout(run, everyMs);
    };
    const run = () => {
      if (document.visibilityState !== 'visible') return plan();
      work().then(plan, plan);
    };
    plan();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isOn, everyMs, work]);
}
