import { Group, Stack, Text } from '@mantine/core';
import { Ago, Section, Status } from '@parley/portal-kit/ui';
import { Sparkline } from './sparkline.tsx';
import { describeHealth, statusLabels, type Delivery, type Webhook } from './webhook-labels.ts';

interface Props {
  webhook: Webhook;
  recent: Delivery[];
}

/** The endpoint’s status, the last failure and what happens next. */
export function WebhookHealth({ webhook, recent }: Props) {
  const { status, health } = webhook;
  const { summary, next } = describeHealth(webhook);
  const isUnhealthy = status === 'failing' || status === 'broken' || health.consecutiveFailures > 0;
  const lastFailure = isUnhealthy ? recent.find(({ hint, lastStatus }) => hint && !isGood(lastStatus)) : undefined;
  const isProbed = health.nextProbeAt && (status === 'broken' || (status === 'disabled' && webhook.autoRecover));
  return (
    <Section title="Health" actions={<Status tone={statusLabels[status].tone}>{statusLabels[status].label}</Status>}>
      <Stack gap={4}>
        <Text fw={600}>{summary}</Text>
        {lastFailure && <Text>Last failure: {lastFailure.hint}</Text>}
        <Text>
          {next}
          {isProbed && (
            <>
              {' '}
              Next attempt: <Ago at={health.nextProbeAt} />.
            </>
          )}
        </Text>
      </Stack>
      <Sparkline deliveries={recent} />
      <Group gap="xl">
        <Fact label="Last success" value={<Ago at={health.lastSuccessAt} />} />
        <Fact label="Last failure" value={<Ago at={health.lastFailureAt} />} />
        <Fact label="Consecutive failures" value={health.consecutiveFailures} />
        <Fact label="Pending deliveries" value={health.waiting} />
      </Group>
    </Section>
  );
}

const isGood = (status: number | null) => status !== null && status >= 200 && status < 300;

const Fact = ({ label, value }: { label: string; value: React.ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text>{value}</Text>
  </div>
);
