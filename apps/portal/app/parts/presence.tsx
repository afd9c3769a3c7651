import { Button, Menu } from '@mantine/core';
import { api, call, Status, useAction } from '@parley/portal-kit/ui';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { startHeartbeat } from './heartbeat.ts';
import { useMe } from './me.ts';
import { hasPermission } from './rights.ts';

type Presence = 'available' | 'away';
const labels: Record<Presence, string> = { available: 'Available', away: 'Away' };

const Label = ({ presence }: { presence: Presence }) => (
  <Status tone={presence === 'available' ? 'good' : 'idle'}>{labels[presence]}</Status>
);

/** Shows whether the member gets new conversations, and lets them change it. Keeps them available while they use the portal. */
export function PresenceToggle() {
  const me = useMe();
  const isAgent = hasPermission(me, 'conversation.reply') && me.impersonation === null;
  const [presence, setPresence] = useState<Presence>();
  const beat = useEffectEvent(() => {
    void call(api.POST('/me/presence/heartbeat')).then(
      (response) => setPresence(response.presence.status),
      () => undefined, // the next one may succeed
    );
  });
  useEffect(() => {
    return isAgent ? startHeartbeat(window, () => beat()) : undefined;
  }, [isAgent]);
  const change = useAction(
    async (status: Presence) => {
      const response = await call(api.PUT('/me/presence', { body: { status } }));
      setPresence(response.presence.status);
    },
    { isQuiet: true },
  );
  if (!presence) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          loading={change.isRunning}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={`Your presence: ${labels[presence]}`}
        >
          <Label presence={presence} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['available', 'away'] as const).map((status) => (
          <Menu.Item key={status} onClick={() => void change.run(status)}>
            <Label presence={status} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
