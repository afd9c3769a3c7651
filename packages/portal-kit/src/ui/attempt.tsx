import { Box, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../service/client.ts';
import { Ago, Status } from './small.tsx';

type Attempt = Schemas['SupportedAttempt'];
type Timings = NonNullable<Attempt['timings']>;

const phases = [
  { name: 'DNS', color: 'var(--mantine-color-gray-5)', value: (timings: Timings) => timings.dnsMs },
  { name: 'Connect', color: 'var(--mantine-color-blue-5)', value: (timings: Timings) => timings.connectMs },
  { name: 'TLS', color: 'var(--mantine-color-grape-5)', value: (timings: Timings) => timings.tlsMs },
  {
    name: 'Waiting for response',
    color: 'var(--mantine-color-orange-5)',
    value: (timings: Timings) => timings.firstByteMs,
  },
  {
    name: 'Content download',
    color: 'var(--mantine-color-teal-5)',
    value: ({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: Timings) =>
      Math.max(0, totalMs - dnsMs - connectMs - tlsMs - firstByteMs),
  },
];
const ms = (value: number) => `${value < 100 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;

/** Timing waterfall. Several attempts can share a scale. */
function Waterfall({ timings, scaleMs }: { timings: Timings; scaleMs: number }) {
  const segments = phases.map(({ name, color, value }) => ({ name, color, value: value(timings) }));
  const label = `${segments.map(({ name, value }) => `${name} ${ms(value)}`).join(', ')}, total ${ms(timings.totalMs)}`;
  return (
    <Stack gap={4}>
      <Group gap={0} wrap="nowrap" h={14} role="img" aria-label={label} bg="var(--mantine-color-default-hover)">
        {segments.map(({ name, color, value }) => (
          <Box key={name} h={14} bg={color} w={`${(value / Math.max(scaleMs, 1)) * 100}%`} />
        ))}
      </Group>
      <Group gap="md" aria-hidden>
        {segments.map(({ name, color, value }) => (
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
  succeeded: { tone: 'good', label: 'Delivered' },
  failed: { tone: 'bad', label: 'Failed' },
  unknown: { tone: 'warn', label: 'Unknown' },
  unsent: { tone: 'idle', label: 'Not sent' },
} as const;

interface Props {
  attempt: Attempt;
  scaleMs?: number;
  /** The response, for users who may see it. */
  children?: ReactNode;
}

/** One attempt: outcome, hint and timings. */
export function AttemptView({ attempt, scaleMs, children }: Props) {
  const { number, at, outcome, status, error, hint, timings, ip } = attempt;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Status tone={outcomes[outcome].tone}>{outcomes[outcome].label}</Status>
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
