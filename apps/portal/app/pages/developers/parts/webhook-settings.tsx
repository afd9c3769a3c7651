import { Button, Code, Table } from '@mantine/core';
import { Ago, Id, Section, WithReason } from '@parley/portal-kit/ui';
import { Fragment, useState, type ReactNode } from 'react';
import type { WebhookChoices } from './webhook-choices.ts';
import { EditWebhook } from './webhook-form.tsx';
import type { Webhook } from './webhook-labels.ts';

interface Props {
  webhook: Webhook;
  choices: WebhookChoices;
  reason: string | undefined;
}

export function WebhookSettings({ webhook, choices, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  const nameOf = (list: { id: string; name: string }[], id: string): ReactNode =>
    list.find((one) => one.id === id)?.name ?? <Id id={id} />;
  const rows: { label: string; value: ReactNode }[] = [
    { label: 'Endpoint ID', value: <Id id={webhook.id} /> },
    { label: 'Events', value: webhook.eventTypes.includes('*') ? 'All events' : webhook.eventTypes.join(', ') },
    {
      label: 'Environment',
      value: webhook.environmentId ? nameOf(choices.environments, webhook.environmentId) : 'All environments',
    },
    {
      label: 'Bots',
      value:
        webhook.botIds.length === 0
          ? 'All bots'
          : webhook.botIds.map((id, at) => (
              <Fragment key={id}>
                {at > 0 && ', '}
                {nameOf(choices.bots, id)}
              </Fragment>
            )),
    },
    { label: 'Ordering', value: webhook.ordering === 'none' ? 'None' : 'In order within each conversation' },
    { label: 'Max requests per second', value: webhook.rateLimit },
    {
      label: 'Custom headers',
      value:
        webhook.headerNames.length === 0
          ? 'None'
          : webhook.headerNames.map((name) => (
              <Code key={name} mr={4}>
                {name}
              </Code>
            )),
    },
    {
      label: 'If disabled',
      value: webhook.autoRecover ? 'Re-enabled automatically when it recovers' : 'Stays disabled until you resume it',
    },
    { label: 'Created', value: <Ago at={webhook.createdAt} /> },
  ];
  return (
    <Section
      title="Settings"
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Edit
          </Button>
        </WithReason>
      }
    >
      <Table variant="vertical" highlightOnHover={false} layout="fixed">
        <Table.Tbody>
          {rows.map(({ label, value }) => (
            <Table.Tr key={label}>
              <Table.Th w={180} scope="row">
                {label}
              </Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <EditWebhook webhook={webhook} choices={choices} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}
