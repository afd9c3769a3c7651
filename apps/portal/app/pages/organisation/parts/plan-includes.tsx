import { SimpleGrid, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section, Status } from '@parley/portal-kit/ui';
import { useMe } from '../../../parts/me.ts';
import { may, planWith, rolesWith } from '../../../parts/rights.ts';
import { planName } from './refusals.ts';

type Entitlements = Schemas['Entitlements'];

const features = [
  ['knowledge', 'Knowledge', 'Bots answer from your pages and files.'],
  ['human_handoff', 'Taking conversations over', 'People answer where a bot cannot.'],
  ['api_keys', 'API keys', 'Your servers and your widget speak with us.'],
  ['webhooks', 'Webhooks', 'Send events to your servers.'],
  ['live_webhooks', 'Live webhooks', 'Send events from live environments too.'],
  ['private_actions', 'Private actions', 'Bots do things in your own systems.'],
  ['custom_model', 'Models of your own', 'Bots answer with your own account at a model provider.'],
] as const;

const count = new Intl.NumberFormat('en');
const limits: [keyof Entitlements, string, (most: number) => string][] = [
  ['messages.per_month', 'Messages from visitors', (most) => `${count.format(most)} a month`],
  ['model_spend.per_day', 'Spend on models', (most) => `$${count.format(most)} a day`],
  ['bots.max', 'Bots', (most) => count.format(most)],
  ['members.max', 'Members and open invitations', (most) => count.format(most)],
  ['api_keys.max', 'API keys', (most) => count.format(most)],
  ['webhooks.max', 'Webhooks', (most) => (most === 0 ? 'none' : count.format(most))],
  ['knowledge_megabytes.per_bot', 'Knowledge storage per bot', (most) => `${count.format(most)} MB`],
];

export function PlanIncludes({ plan, entitlements }: { plan: string; entitlements: Entitlements }) {
  const me = useMe();
  return (
    <Section title={`Your plan: ${planName(plan)}`}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <div>
          <Title order={3} fz={14} mb={4}>
            What is included
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {features.map(([name, title, about]) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <Text fw={600}>{title}</Text>
                    <Text size="sm" c="dimmed">
                      {entitlements[name] > 0 ? about : `${about} ${planWith(name).replace(/^.* comes/, 'Comes')}`}
                    </Text>
                  </Table.Td>
                  <Table.Td w={160}>
                    {entitlements[name] > 0 ? (
                      <Status tone="good">included</Status>
                    ) : (
                      <Status tone="idle">not included</Status>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <div>
          <Title order={3} fz={14} mb={4}>
            How much of it
          </Title>
          <Table highlightOnHover={false}>
            <Table.Tbody>
              {limits.map(([name, title, say]) => (
                <Table.Tr key={name}>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td ta="right">{say(entitlements[name])}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </SimpleGrid>
      <Text c="dimmed">
        {may(me, 'billing.manage')
          ? 'You want more, or less? Write to us: we change the plan, and it acts within five seconds.'
          : `The plan is changed by ${rolesWith('billing.manage')}.${may(me, 'billing.view') ? '' : ` What it costs can be seen by ${rolesWith('billing.view')}.`} Ask one of them if you need more.`}
      </Text>
    </Section>
  );
}
