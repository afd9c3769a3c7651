import { Stack } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { AnnouncementNote, api } from '@parley/portal-kit/ui';
import { useEffect, useState, useSyncExternalStore } from 'react';

type Announcement = Schemas['Announcement'];

const storageKey = 'parley.put-away';
const pollMs = 60_000;

/** IDs of announcements dismissed in this browser, separated by spaces. */
function readDismissed(): string {
  try {
    return localStorage.getItem(storageKey) ?? '';
  } catch {
    return '';
  }
}
/** Only this page writes them, and it renders when it does. */
const subscribe = () => () => {};

function saveDismissed(ids: string[]) {
  try {
    localStorage.setItem(storageKey, ids.slice(-50).join(' '));
  } catch {
    // storage is full or blocked: dismissed until the page reloads
  }
}

/** Current announcements from the platform. Polled while the page is open. */
export function Announcements({ first }: { first: Announcement[] }) {
  // A poll is newer than the layout's data it was made with, and older than the next.
  const [polled, setPolled] = useState<{ first: Announcement[]; data: Announcement[] }>();
  const announcements = polled?.first === first ? polled.data : first;
  // Undefined until storage was read, so that dismissed announcements do not flash up.
  const stored = useSyncExternalStore<string | undefined>(subscribe, readDismissed, () => undefined);
  // Without storage, they show again after a reload.
  const [justDismissed, setJustDismissed] = useState<string[]>([]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      api
        .GET('/announcements')
        .then(({ data }) => data && setPolled({ first, data: data.data }))
        .catch(() => {}); // the next poll may succeed
    }, pollMs);
    return () => clearInterval(timer);
  }, [first]);

  const dismissed = stored === undefined ? undefined : [...stored.split(' ').filter(Boolean), ...justDismissed];
  const visible = announcements.filter(({ id, kind }) => kind === 'incident' || (dismissed && !dismissed.includes(id)));
  if (visible.length === 0) return null;
  const dismiss = (id: string) => {
    setJustDismissed([...justDismissed, id]);
    saveDismissed([...new Set(dismissed), id]);
  };
  return (
    <Stack gap="xs" mb="md" maw={1280} mx="auto">
      {visible.map((one) => (
        <AnnouncementNote
          key={one.id}
          announcement={one}
          {...(one.kind !== 'incident' && { onDismiss: () => dismiss(one.id) })}
        />
      ))}
    </Stack>
  );
}
