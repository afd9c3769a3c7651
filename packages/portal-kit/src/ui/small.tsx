import { ActionIcon, Button, Code, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import {
  IconAlertTriangleFilled,
  IconCheck,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
  IconCopy,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNow } from './now.ts';

const steps: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [30 * 86_400, 'day', 86_400],
  [365 * 86_400, 'month', 30 * 86_400],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400],
];
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  if (Math.abs(seconds) < 5) return 'just now';
  const [, unit, size] = steps.find(([limit]) => Math.abs(seconds) < limit)!;
  return relativeFormat.format(Math.trunc(seconds / size), unit);
}

/** In UTC, so that server and browsers render the same text. */
const exactTime = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;

/** Relative time, with the exact time on hover. Relative only after hydration. */
export function Ago({ at, fallback = 'never' }: { at: string | null | undefined; fallback?: string }) {
  const now = useNow(30_000);
  if (!at) return fallback;
  return (
    <time dateTime={at} title={now === undefined ? exactTime(at) : new Date(at).toLocaleString()}>
      {now === undefined ? exactTime(at) : relativeTime(Date.parse(at), now)}
    </time>
  );
}

export const Copy = ({ text, label = 'Copy' }: { text: string; label?: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={copy}
        leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      >
        {copied ? 'Copied' : label}
      </Button>
    )}
  </CopyButton>
);

/** A shortened ID that copies in full. */
export const Id = ({ id }: { id: string }) => (
  <CopyButton value={id}>
    {({ copied, copy }) => (
      <Group gap={2} wrap="nowrap" display="inline-flex">
        <Code title={id}>{`${id.split('_')[0]}_…${id.slice(-6)}`}</Code>
        <Tooltip label={copied ? 'Copied' : 'Copy ID'}>
          <ActionIcon size="sm" variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${id}`}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      </Group>
    )}
  </CopyButton>
);

type Tone = 'good' | 'warn' | 'bad' | 'idle';
const tones: Record<Tone, { color: string; icon: ReactNode }> = {
  good: { color: 'var(--good)', icon: <IconCircleCheckFilled size={14} aria-hidden /> },
  warn: { color: 'var(--warn)', icon: <IconAlertTriangleFilled size={14} aria-hidden /> },
  bad: { color: 'var(--bad)', icon: <IconCircleXFilled size={14} aria-hidden /> },
  idle: { color: 'var(--mantine-color-dimmed)', icon: <IconCircleDashed size={14} aria-hidden /> },
};

/** A status with label and shape, never by colour alone. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className="status" data-tone={tone}>
    <Text span c={tones[tone].color} lh={0}>
      {tones[tone].icon}
    </Text>
    {children}
  </span>
);

/** Text to copy, such as a command. Scrolls and is keyboard-accessible. */
export const Snippet = ({ children, label }: { children: string; label: string }) => (
  <div>
    <Group justify="space-between" mb={4}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Copy text={children} />
    </Group>
    <Code block tabIndex={0} role="region" aria-label={label} style={{ overflowX: 'auto' }}>
      {children}
    </Code>
  </div>
);
