import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, Status } from '@parley/portal-kit/ui';
import { rolesWith, type Permission } from '../../../parts/rights.ts';

interface UsageCount {
  used: number;
  hasMore: boolean;
}
interface Props {
  entitlements: Schemas['Entitlements'];
  usage: Schemas['Usage'] | null;
  counts: Record<'bots' | 'keys' | 'webhooks', UsageCount | null> & {
    members: (UsageCount & { invited: number }) | null;
  };
}

const count = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Usage against the limits. At 80% and 100%, `usage.threshold_reached` is sent to webhooks as well. */
export function PlanUse({ entitlements, usage, counts }: Props) {
  const { bots, members, keys, webhooks } = counts;
  const invited = members?.invited
    ? members.invited === 1
      ? 'Includes 1 pending invitation.'
      : `Includes ${members.invited} pending invitations.`
    : 'Pending invitations use a seat too.';
  return (
    <Section title="Plan usage" description="Days and months are in UTC.">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="lg">
        <Bar
          title="Messages this month"
          used={usage && { used: usage.messagesThisMonth.used, hasMore: false }}
          allowed={entitlements['messages.per_month']}
          permission="analytics.view"
          description="At the limit, bots stop answering and visitors see a notice until next month."
        />
        <Bar
          title="AI spend today"
          used={usage && { used: usage.modelSpendToday.used, hasMore: false }}
          allowed={entitlements['model_spend.per_day']}
          permission="analytics.view"
          format={dollars.format}
          description={
            usage && usage.modelSpendToday.reserved > 0
              ? `${dollars.format(usage.modelSpendToday.reserved)} more is reserved for answers in progress.`
              : 'At the limit, bots quote your knowledge without AI until midnight UTC.'
          }
        />
        <Bar
          title="Bots"
          used={bots}
          allowed={entitlements['bots.max']}
          permission="bot.view"
          description="Archived bots aren’t counted."
        />
        <Bar
          title="Seats"
          used={members}
          allowed={entitlements['members.max']}
          permission="member.view"
          description={invited}
        />
        <Bar
          title="API keys"
          used={keys}
          allowed={entitlements.api_keys && entitlements['api_keys.max']}
          permission="api_key.view"
          description="Revoked and expired keys aren’t counted."
        />
        <Bar
          title="Webhook endpoints"
          used={webhooks}
          allowed={entitlements.webhooks && entitlements['webhooks.max']}
          permission="webhook.view"
          description="Paused endpoints are counted too."
        />
      </SimpleGrid>
    </Section>
  );
}

interface BarProps {
  title: string;
  used: UsageCount | null;
  allowed: number;
  permission: Permission;
  description: string;
  format?(amount: number): string;
}

function Bar({ title, used, allowed, permission, description, format = count.format }: BarProps) {
  if (allowed === 0)
    return (
      <Stack gap={4}>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed">Not included in your plan.</Text>
      </Stack>
    );
  if (!used)
    return (
      <Stack gap={4}>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed">Only {rolesWith(permission)} can view this.</Text>
      </Stack>
    );
  const share = (used.used / allowed) * 100;
  const level = share >= 100 ? 'bad' : share >= 80 ? 'warn' : 'good';
  const levelLabel = { good: 'OK', warn: 'Close to limit', bad: 'Limit reached' }[level];
  const amount = `${used.hasMore ? 'more than ' : ''}${format(used.used)} of ${format(allowed)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{title}</Text>
        <Status tone={level}>{levelLabel}</Status>
      </Group>
      <Progress
        value={Math.min(100, share)}
        color={{ good: 'teal', warn: 'orange', bad: 'red' }[level]}
        aria-label={`${title}: ${amount}`}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm">{amount}</Text>
        <Text size="sm">{share > 0 && share < 1 ? 'less than 1' : Math.floor(share)}%</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </Stack>
  );
}
