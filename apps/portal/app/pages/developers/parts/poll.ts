import { useEffect } from 'react';

/** Polls while the tab is visible. The next call starts only after the last one has finished. */
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
