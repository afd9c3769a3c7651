import { Stack } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { AnnouncementNote, api } from '@parley/portal-kit/ui';
import { useEffect, useState } from 'react';

type Announcement = Schemas['Announcement'];

const storageKey = 'parley.put-away';
const pollMs = 60_000;

/** Announcements dismissed in this browser. Without storage, they show again after a reload. */
function readDismissed(): string[] {
  try {
    return (localStorage.getItem(storageKey) ?? '').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function saveDismissed(ids: string[]) {
  try {
    localStorage.setItem(storageKey, ids.slice(-50).join(' '));
  } catch {
    // storage is full or blocked: dismissed until the page reloads
  }
}

/** Current announcements from the platform. Polled while the page is open. */
export function Announcements({ first }: { first: Announcement[] }) {
  const [announcements, setAnnouncements] = useState(first);
  // Undefined until storage was read, so that dismissed announcements do not flash up.
  const [dismissed, setDismissed] = useState<string[]>();
  useEffect(() => setDismissed(readDismissed()), []);
  useEffect(() => setAnnouncements(first), [first]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      api
        .GET('/announcements')
        .then(({ data }) => data && setAnnouncements(data.data))
        .catch(() => {}); // the next poll may succeed
    }, pollMs);
    return () => clearInterval(timer);
  }, []);

  const visible = announcements.filter(({ id, kind }) => kind === 'incident' || (dismissed && !dismissed.includes(id)));
  if (visible.length === 0) return null;
  const dismiss = (id: string) => {
    const next = [...(dismissed ?? []), id];
    setDismissed(next);
    saveDismissed(next);
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
