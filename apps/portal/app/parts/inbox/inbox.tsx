import { useThrottledCallback } from '@mantine/hooks';
import { api } from '@parley/portal-kit/ui';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { canNotify, notifyWaiting, playSound, showWaiting } from './attention.ts';
import { followInbox, type InboxCounts } from './follow.ts';
import { expireNotificationSettings, readNotificationSettings } from './notification-settings.ts';

type Listener = (conversationIds: readonly string[]) => void;

interface Inbox {
  counts: InboxCounts | undefined;
  /** Called with the conversations that have changed (none: any of them may have), until the returned function is called. */
  onChange(listener: Listener): () => void;
}

const none: Inbox = { counts: undefined, onChange: () => () => {} };
const InboxContext = createContext<Inbox>(none);
export const useInbox = () => useContext(InboxContext);

const countsMs = 1_000;
/** After the list, which all agents read at the same moment and look at. */
const countsDelayMs = 500;
/** Who started to wait earlier, for example while the portal was closed, is only counted. */
const announcedMs = 60_000;

const newestIn = ({ newest }: InboxCounts) => (newest ? `${newest.conversationId} ${newest.since}` : '');

interface Props {
  isAllowed: boolean;
  children: ReactNode;
}

/** Follows the inbox in every tab: the counts in the menu, the tab's title and icon; and in one, notifications and the sound. */
export function InboxProvider({ isAllowed, children }: Props) {
  const [counts, setCounts] = useState<InboxCounts>();
  const listeners = useRef(new Set<Listener>());
  const known = useRef<string>(undefined);
  const publishCounts = useRef<(counts: InboxCounts) => void>(undefined);
  const { pathname } = useLocation();
  const navigate = useNavigate();

  const announce = async (loaded: InboxCounts, serverTime: number) => {
    const { newest } = loaded;
    const isNew = known.current !== undefined && newestIn(loaded) !== known.current;
    if (!newest || !isNew || Date.parse(newest.since) < serverTime - announcedMs) return;
    const isSeen = document.visibilityState === 'visible' && pathname.endsWith(newest.conversationId);
    if (isSeen) return;
    const settings = await readNotificationSettings();
    if (settings.playsSound) playSound();
    if (settings.showsDesktop && canNotify() && document.visibilityState === 'hidden')
      notifyWaiting(newest, () => void navigate(`/conversations/${newest.conversationId}`));
  };
  const load = async () => {
    const { data, response } = await api.GET('/inbox/counts');
    if (!data) return;
    // The server's time: this computer's clock may be wrong.
    const announced = announce(data, Date.parse(response.headers.get('date') ?? new Date().toISOString()));
    publishCounts.current?.(data);
    await announced;
  };
  // After a failure, the next change reads it again.
  const readCounts = useThrottledCallback(
    () => void setTimeout(() => void load().catch(() => {}), countsDelayMs),
    countsMs,
  );
  useEffect(() => {
    if (!isAllowed) return undefined;
    const controller = new AbortController();
    publishCounts.current = followInbox(
      {
        onChange: (conversationIds) => {
          for (const listener of listeners.current) listener(conversationIds);
        },
        readCounts,
        onCounts: (next) => {
          known.current = newestIn(next);
          setCounts(next);
        },
        onSettings: expireNotificationSettings,
      },
      controller.signal,
    ).publishCounts;
    return () => controller.abort();
  }, [isAllowed, readCounts]);

  const waiting = (counts?.unassigned ?? 0) + (counts?.mineWaiting ?? 0);
  // After every navigation, because each page sets its own title.
  useEffect(() => showWaiting(waiting));

  const onChange = useCallback((listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  }, []);
  const inbox = useMemo(() => ({ counts, onChange }), [counts, onChange]);
  return <InboxContext value={inbox}>{children}</InboxContext>;
}
