import { Button, Code, Table } from '@mantine/core';
import { Ago, Id, Section, WithReason } from '@parley/portal-kit/ui';
import { Fragment, useState, type ReactNode } from 'react';
import type { WebhookChoices } from './webhook-choices.ts';
import { EditWebhook } from './webhook-form.tsx';
import type { Webhook } from './webhook-words.ts';

interface Props {
  webhook: Webhook;
  choices: WebhookChoices;
  reason: string | undefined;
}

export function WebhookSettings({ webhook, choices, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  const nameOf = (list: { id: string; name: string }[], id: string): ReactNode =>
    list.find((one) => one.id === id)?.name ?? <Id id={id} />;
  const rows: [string, ReactNode][] = [
    ['Id', <Id id={webhook.id} />],
    ['Told of', webhook.eventTypes.includes('*') ? 'Everything' : webhook.eventTypes.join(', ')],
    ['Environment', webhook.environmentId ? nameOf(choices.environments, webhook.environmentId) : 'All'],
    [
      'Bots',
      webhook.botIds.length === 0
        ? 'All'
        : webhook.botIds.map((id, at) => (
            <Fragment key={id}>
              {at > 0 && ', '}
              {nameOf(choices.bots, id)}
            </Fragment>
          )),
    ],
    ['Order', webhook.ordering === 'none' ? 'As they come' : 'In order within a conversation'],
    ['Calls per second', `${webhook.rateLimit} at most`],
    [
      'Own headers',
      webhook.headerNames.length === 0
        ? 'None'
        : webhook.headerNames.map((name) => (
            <Code key={name} mr={4}>
              {name}
            </Code>
          )),
    ],
    ['After it was disabled', webhook.autoRecover ? 'Tried again by itself' : 'Left alone until you resume it'],
    ['Created', <Ago at={webhook.createdAt} />],
  ];
  return (
    <Section
      title="Settings"
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Change
          </Button>
        </WithReason>
      }
    >
      <Table variant="vertical" highlightOnHover={false} layout="fixed">
        <Table.Tbody>
          {rows.map(([label, value]) => (
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
