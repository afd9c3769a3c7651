import { useThrottledCallback } from '@mantine/hooks';
import { Problem } from '@parley/portal-kit/ui';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigation, useRevalidator } from 'react-router';

const retryMs = 2_000;

/**
 * The data of a loader, or what `read` has returned since. A live change reads only this, instead of everything on the page:
 * immediately, and then at most once per interval. A change that arrives while the tab is hidden, the page is loading or the
 * service is unreachable is read afterwards.
 */
export function useLiveData<T>(loaded: T, read: () => Promise<T>, intervalMs: number): [data: T, reload: () => void] {
  const [newer, setNewer] = useState<{ than: T; data: T }>();
  const newestRead = useRef(0);
  const isMissed = useRef(false);
  const [failures, setFailures] = useState(0);
  const { state, revalidate } = useRevalidator();
  const navigation = useNavigation();
  const isIdle = state === 'idle' && navigation.state === 'idle';

  const reload = useThrottledCallback(() => {
    isMissed.current = !isIdle || document.visibilityState !== 'visible';
    if (isMissed.current) return;
    const number = ++newestRead.current;
    read().then(
      // What was read for an earlier page, or before a newer read, is outdated.
      (data) => number === newestRead.current && setNewer({ than: loaded, data }),
      (error: unknown) => {
        const isRefused = error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429;
        if (isRefused) return revalidate(); // it was deleted, for example, and the page says so
        isMissed.current = true;
        return setFailures((count) => count + 1);
      },
    );
  }, intervalMs);
  const catchUp = useEffectEvent(() => {
    if (isMissed.current) reload();
  });
  useEffect(() => {
    if (isIdle) catchUp();
    const onVisible = () => catchUp();
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, [isIdle]);
  useEffect(() => {
    if (failures === 0) return undefined;
    const timer = setTimeout(() => catchUp(), retryMs);
    return () => clearTimeout(timer);
  }, [failures]);

  return [newer?.than === loaded ? newer.data : loaded, reload];
}
