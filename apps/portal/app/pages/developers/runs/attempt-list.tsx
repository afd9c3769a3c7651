import { Code, Divider, Group, Stack, Text } from '@mantine/core';
import { Ago, Status } from '@parley/portal-kit/ui';
import { Fragment } from 'react';
import { attemptLabels, type RunDetails } from './labels.ts';

/** The attempts of a run. Each is recorded before it is sent. */
export const AttemptList = ({ attempts }: { attempts: RunDetails['attempts'] }) => (
  <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
    {attempts.map(({ n, kind, at, end, status, error, ms, hint }, index) => (
      <Fragment key={n}>
        {index > 0 && <Divider component="li" role="presentation" />}
        {n > (attempts[index - 1]?.n ?? 0) + 1 && (
          <li>
            <Text c="dimmed">{n - (attempts[index - 1]?.n ?? 0) - 1} status checks in between aren’t kept.</Text>
          </li>
        )}
        <li>
          <Group gap="sm">
            <Status tone={attemptLabels[end ?? 'gone'].tone}>{attemptLabels[end ?? 'gone'].label}</Status>
            <Text fw={600}>{kind === 'invoke' ? `Attempt ${n}` : `Attempt ${n}: status check`}</Text>
            <Text c="dimmed">
              <Ago at={at} />
            </Text>
            {status !== null && <Code>HTTP {status}</Code>}
            {error && <Code>{error}</Code>}
            {ms !== null && <Text size="sm">{ms} ms</Text>}
          </Group>
          <Text>{hint || 'We were interrupted before we recorded the result.'}</Text>
        </li>
      </Fragment>
    ))}
  </Stack>
);
