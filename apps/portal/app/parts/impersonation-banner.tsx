import { Alert, Button, Group, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { post, useNow } from '@parley/portal-kit/ui';
import { IconUserShield } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

interface Props {
  impersonation: NonNullable<Schemas['Me']['impersonation']>;
  /** The impersonated member. */
  name: string;
}

const clock = (ms: number) => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** Shown on every page during an impersonation. When it ends, the sign-in page says so. */
export function ImpersonationBanner({ impersonation: { operatorName, reason, expiresAt }, name }: Props) {
  const now = useNow(1_000);
  const [isEnding, setEnding] = useState(false);
  const remainingMs = now === undefined ? undefined : Date.parse(expiresAt) - now;
  const isOver = remainingMs !== undefined && remainingMs <= 0;
  useEffect(() => {
    if (isOver) location.assign('/sign-in');
  }, [isOver]);
  const end = () => {
    setEnding(true);
    void post('/api/auth/logout').finally(() => location.assign('/sign-in'));
  };
  return (
    <Alert
      color="orange"
      mb="md"
      pos="sticky"
      top={60}
      role="region"
      aria-label="Impersonation"
      icon={<IconUserShield size={18} aria-hidden />}
      style={{ zIndex: 90 }}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <b>
            Platform admin {operatorName} is impersonating {name}.
          </b>{' '}
          Reason: {reason}.{' '}
          {remainingMs !== undefined && (
            <>
              Ends in <span role="timer">{clock(remainingMs)}</span>.
            </>
          )}
        </Text>
        <Button size="xs" color="dark" variant="default" loading={isEnding} onClick={end}>
          End session
        </Button>
      </Group>
    </Alert>
  );
}
