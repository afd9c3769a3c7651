import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Ago, api, call, ProblemText, useAction } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMe } from '../../parts/me.ts';
import { hasPermission } from '../../parts/rights.ts';
import { percentOf, describeRotation, type Rotation } from './labels.ts';

/** The running rotation. It continues when the page is closed. */
export function Running({ rotation, now }: { rotation: Rotation; now: number }) {
  const me = useMe();
  const { id, status, problem } = rotation;
  const cancel = useAction(() => call(api.POST('/admin/key-rotations/{id}/cancel', { params: { path: { id } } })));
  const percent = percentOf(rotation);
  const isOpen = status === 'counting' || status === 'waiting' || status === 'removing';
  return (
    <Stack gap="xs">
      <Text>
        Started <Ago at={rotation.startedAt} />: {rotation.reason}
      </Text>
      <Progress.Root size="lg">
        <Progress.Section
          value={isOpen ? 100 : percent}
          striped={isOpen}
          animated={isOpen}
          aria-label="Rotation progress"
          aria-valuetext={describeRotation(rotation, now)}
        />
      </Progress.Root>
      <Group justify="space-between">
        <Text role="status">{describeRotation(rotation, now)}</Text>
        {hasPermission(me, 'platform.system.manage') && (
          <Button size="xs" variant="default" loading={cancel.isRunning} onClick={() => void cancel.run()}>
            Cancel rotation
          </Button>
        )}
      </Group>
      {problem && (
        <Alert
          color="orange"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          variant="light"
          title="Rotation stalled"
        >
          {problem}
        </Alert>
      )}
      <Text c="dimmed" size="sm">
        Everything keeps working during the rotation. You can leave this page.
      </Text>
      <ProblemText problem={cancel.problem} />
    </Stack>
  );
}
