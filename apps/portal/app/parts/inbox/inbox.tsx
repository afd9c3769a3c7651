import { api, call } from '@parley/portal-kit/ui';
import type { Schemas } from '@parley/portal-kit/service';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { useLocation, useNavigate } from 'react-router';
import { canNotify, notifyWaiting, playSound, showWaiting } from './attention.ts';
import { followInbox } from './follow.ts';

export type InboxCounts = Schemas['InboxCounts'];

interface Inbox {
  counts: InboxCounts | undefined;
  /** Called with each change of a conversation, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

const none: Inbox = { counts: undefined, onChange: () => () => {} };
const InboxContext = createContext<Inbox>(none);
export const useInbox = () => useContext(InboxContext);

/** A stream of many changes reloads a few times per second at most. */
const debounceMs = 100;
/** Snoozed conversations return without a change, and a lost event costs no more than this. */
const pollMs = 30_000;

interface Props {
  isAllowed: boolean;
  hasSound: boolean;
  hasNotifications: boolean;
  children: ReactNode;
}

/** Follows the inbox in every tab: the counts in the menu, the tab's title and icon, notifications and the sound. */
export function InboxProvider({ isAllowed, hasSound, hasNotifications, children }: Props) {
  const [counts, setCounts] = useState<InboxCounts>();
  const listeners = useRef(new Set<() => void>());
  const known = useRef<string>(undefined);
  const { pathname } = useLocation();
  const navigate = useNavigate();

  const announce = useEffectEvent(({ newest }: InboxCounts) => {
    const key = newest ? `${newest.conversationId} ${newest.since}` : '';
    const isNew = known.current !== undefined && key !== known.current;
    const isLater = newest && Date.parse(newest.since) > Date.now() - 2 * pollMs;
    known.current = key;
    if (!newest || !isNew || !isLater) return;
    const isSeen = document.visibilityState === 'visible' && pathname.endsWith(newest.conversationId);
    if (isSeen) return;
    if (hasSound) playSound();
    if (hasNotifications && canNotify() && document.visibilityState === 'hidden')
      notifyWaiting(newest, () => void navigate(`/conversations/${newest.conversationId}`));
  });
  const load = useEffectEvent(async () => {
    const loaded = await call(api.GET('/inbox/counts')).catch(() => undefined);
    if (!loaded) return; // the next change loads it again
    setCounts(loaded);
    announce(loaded);
  });

  useEffect(() => {
    if (!isAllowed) return undefined;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const change = () => {
      if (timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        void load();
        for (const listener of listeners.current) listener();
      }, debounceMs);
    };
    followInbox(change, controller.signal);
    const poll = setInterval(change, pollMs);
    change();
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearInterval(poll);
    };
  }, [isAllowed]);

  const waiting = (counts?.unassigned ?? 0) + (counts?.mineWaiting ?? 0);
  // After every navigation, because each page sets its own title.
  useEffect(() => showWaiting(waiting));

  const onChange = useCallback((listener: () => void) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  }, []);
  const inbox = useMemo(() => ({ counts, onChange }), [counts, onChange]);
  return <InboxContext value={inbox}>{children}</InboxContext>;
}
