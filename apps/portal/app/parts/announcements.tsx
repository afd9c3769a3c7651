import { Stack } from '@mantine/core';
import { AnnouncementNote, api } from '@parley/portal-kit/ui';
import { useState, useSyncExternalStore } from 'react';
import { browserData, rowsOf } from './browser-data.ts';

const storageKey = 'parley.put-away';
const [useAnnouncements] = browserData(() => rowsOf(api.GET('/announcements')));

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

/** Current announcements from the platform. Read by the browser while the page is open, so that no page waits for them. */
export function Announcements() {
  const announcements = useAnnouncements() ?? [];
  // Undefined until storage was read, so that dismissed announcements do not flash up.
  const stored = useSyncExternalStore<string | undefined>(subscribe, readDismissed, () => undefined);
  // Without storage, they show again after a reload.
  const [justDismissed, setJustDismissed] = useState<string[]>([]);

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
