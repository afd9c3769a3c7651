import { Box, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../service/client.ts';
import { Ago, Status } from './small.tsx';

type Attempt = Schemas['SupportedAttempt'];
type Timings = NonNullable<Attempt['timings']>;

const phases = [
  { name: 'DNS', color: 'var(--mantine-color-gray-5)', of: (timings: Timings) => timings.dnsMs },
  { name: 'Connect', color: 'var(--mantine-color-blue-5)', of: (timings: Timings) => timings.connectMs },
  { name: 'TLS', color: 'var(--mantine-color-grape-5)', of: (timings: Timings) => timings.tlsMs },
  {
    name: 'Waiting for response',
    color: 'var(--mantine-color-orange-5)',
    of: (timings: Timings) => timings.firstByteMs,
  },
  {
    name: 'Content download',
    color: 'var(--mantine-color-teal-5)',
    of: ({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: Timings) =>
      Math.max(0, totalMs - dnsMs - connectMs - tlsMs - firstByteMs),
  },
];
const ms = (value: number) => `${value < 100 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;

/** Where the time went, on a scale that several attempts share. */
function Waterfall({ timings, scaleMs }: { timings: Timings; scaleMs: number }) {
  const parts = phases.map(({ name, color, of }) => ({ name, color, value: of(timings) }));
  const label = `${parts.map(({ name, value }) => `${name} ${ms(value)}`).join(', ')}, total ${ms(timings.totalMs)}`;
  return (
    <Stack gap={4}>
      <Group gap={0} wrap="nowrap" h={14} role="img" aria-label={label} bg="var(--mantine-color-default-hover)">
        {parts.map(({ name, color, value }) => (
          <Box key={name} h={14} bg={color} w={`${(value / Math.max(scaleMs, 1)) * 100}%`} />
        ))}
      </Group>
      <Group gap="md" aria-hidden>
        {parts.map(({ name, color, value }) => (
          <Group key={name} gap={4} wrap="nowrap">
            <Box w={10} h={10} bg={color} style={{ borderRadius: 2 }} />
            <Text size="xs">
              {name} {ms(value)}
            </Text>
          </Group>
        ))}
        <Text size="xs" fw={600}>
          Total {ms(timings.totalMs)}
        </Text>
        {timings.connectMs === 0 && <Text size="xs">Reused an open connection.</Text>}
      </Group>
    </Stack>
  );
}

const outcomes = {
  succeeded: { tone: 'good', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Failed' },
  unknown: { tone: 'warn', word: 'Unknown' },
  unsent: { tone: 'idle', word: 'Not sent' },
} as const;

interface Props {
  attempt: Attempt;
  scaleMs?: number;
  /** What came back, for whoever may read it. */
  children?: ReactNode;
}

/** One call: how it ended, what that means and where the time went. */
export function AttemptView({ attempt, scaleMs, children }: Props) {
  const { number, at, outcome, status, error, hint, timings, ip } = attempt;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Status tone={outcomes[outcome].tone}>{outcomes[outcome].word}</Status>
        <Text fw={600}>Attempt {number}</Text>
        <Text c="dimmed">
          <Ago at={at} />
        </Text>
        {status !== null && <Code>HTTP {status}</Code>}
        {error && <Code>{error}</Code>}
        {ip && (
          <Text size="sm" c="dimmed">
            {ip}
          </Text>
        )}
      </Group>
      <Text>{hint}</Text>
      {timings && <Waterfall timings={timings} scaleMs={scaleMs ?? timings.totalMs} />}
      {children}
    </Stack>
  );
}
