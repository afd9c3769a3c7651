import { useEffect } from 'react';

/** Polls while the tab is visible. The next call starts only after the last one has finished. */
export function usePoll(isOn: boolean, intervalMs: number, task: () => Promise<unknown>) {
  useEffect(() => {
    if (!isOn) return;
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const plan = () => {
      if (!isStopped) timer = setTimeout(run, intervalMs);
    };
    const run = () => {
      if (document.visibilityState !== 'visible') return plan();
      task().then(plan, plan);
    };
    plan();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [isOn, intervalMs, task]);
}
