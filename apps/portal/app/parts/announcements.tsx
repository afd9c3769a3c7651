import { Stack } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { AnnouncementNote, api } from '@parley/portal-kit/ui';
import { useEffect, useState } from 'react';

type Announcement = Schemas['Announcement'];

const place = 'parley.put-away';
const lookAgainMs = 60_000;

/** Announcements dismissed in this browser. Without storage, they show again after a reload. */
function readPutAway(): string[] {
  try {
    return (localStorage.getItem(place) ?? '').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function keepPutAway(ids: string[]) {
  try {
    localStorage.setItem(place, ids.slice(-50).join(' '));
  } catch {
    // storage is full or blocked: dismissed until the page reloads
  }
}

/** Current announcements from the platform. Polled while the page is open. */
export function Announcements({ first }: { first: Announcement[] }) {
  const [announcements, setAnnouncements] = useState(first);
  // Undefined until storage was read, so that dismissed announcements do not flash up.
  const [putAway, setPutAway] = useState<string[]>();
  useEffect(() => setPutAway(readPutAway()), []);
  useEffect(() => setAnnouncements(first), [first]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      api
        .GET('/announcements')
        .then(({ data }) => data && setAnnouncements(data.data))
        .catch(() => {}); // the next poll may succeed
    }, lookAgainMs);
    return () => clearInterval(timer);
  }, []);

  const shown = announcements.filter(({ id, kind }) => kind === 'incident' || (putAway && !putAway.includes(id)));
  if (shown.length === 0) return null;
  const away = (id: string) => {
    const next = [...(putAway ?? []), id];
    setPutAway(next);
    keepPutAway(next);
  };
  return (
    <Stack gap="xs" mb="md" maw={1280} mx="auto">
      {shown.map((one) => (
        <AnnouncementNote
          key={one.id}
          announcement={one}
          {...(one.kind !== 'incident' && { onPutAway: () => away(one.id) })}
        />
      ))}
    </Stack>
  );
}
