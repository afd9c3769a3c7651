import { SimpleGrid, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, Status } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { hasPermission, planWith, rolesWith } from '../../../parts/rights.ts';
import { planName } from './member-problems.ts';

type Entitlements = Schemas['Entitlements'];

const features = [
  ['knowledge', 'Knowledge', 'Bots answer from your website and files.'],
  ['human_handoff', 'Human handoff', 'Agents take over when the bot can’t help.'],
  ['api_keys', 'API keys', 'Connect your backend and your widget.'],
  ['webhooks', 'Webhooks', 'Send events to your backend.'],
  ['live_webhooks', 'Live webhooks', 'Send events from live environments.'],
  ['private_actions', 'Private actions', 'Bots call your own backend during a chat.'],
  ['custom_model', 'Custom models', 'Use your own account with a model provider.'],
] as const;

const count = new Intl.NumberFormat('en');
const limits: [keyof Entitlements, string, (max: number) => string][] = [
  ['messages.per_month', 'Messages', (max) => `${count.format(max)} per month`],
  ['model_spend.per_day', 'AI budget', (max) => `$${count.format(max)} per day`],
  ['bots.max', 'Bots', (max) => count.format(max)],
  ['members.max', 'Seats', (max) => count.format(max)],
  ['api_keys.max', 'API keys', (max) => count.format(max)],
  ['webhooks.max', 'Webhook endpoints', (max) => (max === 0 ? 'None' : count.format(max))],
  ['knowledge_megabytes.per_bot', 'Knowledge storage per bot', (max) => `${count.format(max)} MB`],
  ['reads.per_minute', 'API reads', (max) => `${count.format(max)} per minute`],
];

export function PlanIncludes({ plan, entitlements }: { plan: string; entitlements: Entitlements }) {
  const me = useMe();
  return (
    <Section title={`Current plan: ${planName(plan)}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <div>
          <Title order={3} fz={14} mb={4}>
            Features
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {features.map(([name, title, description]) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <Text fw={600}>{title}</Text>
                    <Text size="sm" c="dimmed">
                      {entitlements[name] > 0
                        ? description
                        : `${description} ${planWith(name).replace(/^.* available/, 'Available')}`}
                    </Text>
                  </Table.Td>
                  <Table.Td w={160}>
                    {entitlements[name] > 0 ? (
                      <Status tone="good">Included</Status>
                    ) : (
                      <Status tone="idle">Not included</Status>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <div>
          <Title order={3} fz={14} mb={4}>
            Limits
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {limits.map(([name, title, format]) => (
                <Table.Tr key={name}>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td ta="right">{format(entitlements[name])}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </SimpleGrid>
      <Text c="dimmed">
        {hasPermission(me, 'billing.manage')
          ? 'To change your plan, contact us. Changes take effect within 5 seconds.'
          : `Only ${rolesWith('billing.manage')} can change the plan. If you need a higher limit, ask one of them.`}
      </Text>
    </Section>
  );
}
