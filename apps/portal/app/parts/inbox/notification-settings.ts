import type { Schemas } from '@parley/portal-kit/service';
import { api, call } from '@parley/portal-kit/ui';
import { publishSettings } from './follow.ts';

type Settings = Schemas['NotificationSettings'];

const maxAgeMs = 60_000;
let known: { settings: Promise<Settings>; readAt: number } | undefined;

const load = async () => (await call(api.GET('/me/notifications'))).notifications;

/** How the member wants to be notified. Read when there is something to notify them about. */
export function readNotificationSettings(): Promise<Settings> {
  if (!known || Date.now() - known.readAt > maxAgeMs) known = { settings: load(), readAt: Date.now() };
  return known.settings;
}

/** After a change in any tab. */
export function expireNotificationSettings(): void {
  known = undefined;
}

export async function saveNotificationSettings(settings: Settings): Promise<Settings> {
  const { notifications } = await call(api.PUT('/me/notifications', { body: settings }));
  publishSettings();
  return notifications;
}

/** Desktop notifications need the browser's permission and the member's setting. */
export async function turnOnDesktopNotifications(): Promise<void> {
  await saveNotificationSettings({ ...(await load()), showsDesktop: true });
}
