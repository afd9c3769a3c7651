import { Select, Stack, Switch } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { ProblemText, Section, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { askToNotify } from '../../../parts/inbox/attention.ts';
import { saveNotificationSettings } from '../../../parts/inbox/notification-settings.ts';
import { useMe } from '../../../parts/me.ts';

type Settings = Schemas['NotificationSettings'];

const emailTimes = [
  { value: '', label: 'Never' },
  { value: '5', label: '5 minutes' },
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
];

/** How the member learns about waiting visitors. Each change is saved immediately. */
export function Notifications({ notifications: saved }: { notifications: Settings }) {
  const [shown, setShown] = useState(saved); // the change itself is visible before it is saved
  const [isBlocked, setBlocked] = useState(false);
  const save = useAction(saveNotificationSettings, { success: 'Notification settings saved' });
  const isDisabled = useMe().impersonation !== null;
  const change = async (part: Partial<Settings>) => {
    const next = { ...shown, ...part };
    setShown(next);
    if (!(await save.run(next))) setShown(saved);
  };
  const changeDesktop = async (showsDesktop: boolean) => {
    const canShow = !showsDesktop || (await askToNotify());
    setBlocked(!canShow);
    if (canShow) await change({ showsDesktop });
  };
  const { emailAfterMinutes, wantsDigest, playsSound, showsDesktop } = shown;
  return (
    <Section
      title="Notifications"
      description="How you learn about visitors who ask for an agent in this organisation."
    >
      <Stack gap="md">
        <Select
          label="Email me if a visitor has waited for"
          description="Only within business hours, and only if no one has claimed the conversation."
          data={emailTimes}
          value={emailAfterMinutes === null ? '' : String(emailAfterMinutes)}
          allowDeselect={false}
          disabled={isDisabled}
          onChange={(value) =>
            void change({
              emailAfterMinutes: value ? (Number(value) as NonNullable<Settings['emailAfterMinutes']>) : null,
            })
          }
          w={320}
          maw="100%"
        />
        <Switch
          label="Daily summary by email"
          description="When the workspace opens: waiting visitors, unanswered questions and ratings. Nothing is sent if there’s nothing to report."
          checked={wantsDigest}
          disabled={isDisabled}
          onChange={(event) => void change({ wantsDigest: event.currentTarget.checked })}
        />
        <Switch
          label="Play a sound"
          description="When a visitor asks for an agent while the portal is open."
          checked={playsSound}
          disabled={isDisabled}
          onChange={(event) => void change({ playsSound: event.currentTarget.checked })}
        />
        <Switch
          label="Desktop notifications"
          description="When a visitor starts to wait and the portal is open in the background. Your browser asks for permission the first time."
          checked={showsDesktop}
          disabled={isDisabled}
          error={
            isBlocked && 'Your browser blocks notifications from this site. Allow them in its settings, then try again.'
          }
          onChange={(event) => void changeDesktop(event.currentTarget.checked)}
        />
        <ProblemText problem={save.problem} />
      </Stack>
    </Section>
  );
}
