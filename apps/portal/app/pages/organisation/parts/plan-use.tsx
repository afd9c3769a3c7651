import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, Status } from '@parley/portal-kit/ui';
import { rolesWith, type Permission } from '../../../parts/rights.ts';

interface Counted {
  used: number;
  isMore: boolean;
}
interface Props {
  entitlements: Schemas['Entitlements'];
  usage: Schemas['Usage'] | null;
  counts: Record<'bots' | 'keys' | 'webhooks', Counted | null> & { members: (Counted & { invited: number }) | null };
}

const count = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** How near the limit is. At 80 and at 100 per cent owners are told by a webhook event as well. */
export function PlanUse({ entitlements, usage, counts }: Props) {
  const { bots, members, keys, webhooks } = counts;
  const invited = members?.invited
    ? members.invited === 1
      ? 'One of them is an open invitation.'
      : `${members.invited} of them are open invitations.`
    : 'Open invitations take a place too.';
  return (
    <Section title="How much you use" about="Days and months are counted in UTC.">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="lg">
        <Bar
          title="Messages this month"
          used={usage && { used: usage.messagesThisMonth.used, isMore: false }}
          allowed={entitlements['messages.per_month']}
          permission="analytics.view"
          about="When they are used up, visitors are told that the chat has reached its limit until next month."
        />
        <Bar
          title="Spend on models today"
          used={usage && { used: usage.modelSpendToday.used, isMore: false }}
          allowed={entitlements['model_spend.per_day']}
          permission="analytics.view"
          say={dollars.format}
          about={
            usage && usage.modelSpendToday.reserved > 0
              ? `${dollars.format(usage.modelSpendToday.reserved)} more is set aside for answers being written.`
              : 'When it is used up, bots quote what they know, without a model, until midnight.'
          }
        />
        <Bar
          title="Bots"
          used={bots}
          allowed={entitlements['bots.max']}
          permission="bot.view"
          about="Archived ones do not count."
        />
        <Bar
          title="Members"
          used={members}
          allowed={entitlements['members.max']}
          permission="member.view"
          about={invited}
        />
        <Bar
          title="API keys"
          used={keys}
          allowed={entitlements.api_keys && entitlements['api_keys.max']}
          permission="api_key.view"
          about="Revoked and expired ones do not count."
        />
        <Bar
          title="Webhooks"
          used={webhooks}
          allowed={entitlements.webhooks && entitlements['webhooks.max']}
          permission="webhook.view"
          about="Paused ones count as well."
        />
      </SimpleGrid>
    </Section>
  );
}

interface BarProps {
  title: string;
  used: Counted | null;
  allowed: number;
  permission: Permission;
  about: string;
  say?(amount: number): string;
}

function Bar({ title, used, allowed, permission, about, say = count.format }: BarProps) {
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
        <Text c="dimmed">Can be seen by {rolesWith(permission)}.</Text>
      </Stack>
    );
  const share = (used.used / allowed) * 100;
  const level = share >= 100 ? 'bad' : share >= 80 ? 'warn' : 'good';
  const words = { good: 'enough left', warn: 'more than 80 % used', bad: 'used up' }[level];
  const amount = `${used.isMore ? 'more than ' : ''}${say(used.used)} of ${say(allowed)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{title}</Text>
        <Status tone={level}>{words}</Status>
      </Group>
      <Progress
        value={Math.min(100, share)}
        color={{ good: 'teal', warn: 'orange', bad: 'red' }[level]}
        aria-label={`${title}: ${amount}`}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm">{amount}</Text>
        <Text size="sm">{share > 0 && share < 1 ? 'less than 1' : Math.floor(share)} %</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Stack>
  );
}
