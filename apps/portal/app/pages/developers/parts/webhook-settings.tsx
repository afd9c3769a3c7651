import { Button, Code } from '@mantine/core';
import { Ago, Facts, Id, Section, WithReason } from '@parley/portal-kit/ui';
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
  const facts: [label: string, value: ReactNode][] = [
    ['Endpoint ID', <Id key="id" id={webhook.id} />],
    ['Events', webhook.eventTypes.includes('*') ? 'All events' : webhook.eventTypes.join(', ')],
    ['Environment', webhook.environmentId ? nameOf(choices.environments, webhook.environmentId) : 'All environments'],
    [
      'Bots',
      webhook.botIds.length === 0
        ? 'All bots'
        : webhook.botIds.map((id, at) => (
            <Fragment key={id}>
              {at > 0 && ', '}
              {nameOf(choices.bots, id)}
            </Fragment>
          )),
    ],
    ['Ordering', webhook.ordering === 'none' ? 'None' : 'In order within each conversation'],
    ['Max requests per second', webhook.rateLimit],
    [
      'Custom headers',
      webhook.headerNames.length === 0
        ? 'None'
        : webhook.headerNames.map((name) => (
            <Code key={name} mr={4}>
              {name}
            </Code>
          )),
    ],
    [
      'If disabled',
      webhook.autoRecover ? 'Re-enabled automatically when it recovers' : 'Stays disabled until you resume it',
    ],
    ['Created', <Ago key="created" at={webhook.createdAt} />],
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
      <Facts facts={facts} />
      <EditWebhook webhook={webhook} choices={choices} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}
