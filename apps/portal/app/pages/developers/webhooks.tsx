import { Button, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  FilterChips,
  Page,
  Pager,
  RowLink,
  Rows,
  SecretPanel,
  Section,
  Status,
  TextLink,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Sparkline } from './parts/sparkline.tsx';
import { TabError } from './parts/tab-error.tsx';
import { choicesOf } from './parts/webhook-choices.ts';
import { CreateWebhook } from './parts/webhook-form.tsx';
import { pluralize, statusLabels, type Webhook } from './parts/webhook-labels.ts';

export const meta = () => [{ title: 'Webhooks · Parley' }];
export const ErrorBoundary = TabError;

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(statusLabels).map(([value, { label }]) => ({ value, label })),
  },
];
const isStatus = (value: string | null): value is Webhook['status'] => value !== null && value in statusLabels;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const [status, cursor] = [searchParams.get('status'), searchParams.get('cursor')];
  const query = { limit: 25, ...(cursor && { cursor }), ...(isStatus(status) && { status }) };
  const [page, choices] = await Promise.all([service.GET('/webhooks', { params: { query } }), choicesOf(service)]);
  const { data, nextCursor } = read(page, request);
  const webhooks = await Promise.all(
    data.map(async (webhook) => {
      const log = await service.GET('/webhooks/{webhookId}/deliveries', {
        params: { path: { webhookId: webhook.id }, query: { limit: 50 } },
      });
      const deliveries = log.data?.data.map(({ id, status: end, attempts }) => ({ id, status: end, attempts })) ?? [];
      return { ...webhook, deliveries };
    }),
  );
  return { webhooks, nextCursor, choices };
}

export default function Webhooks() {
  const { webhooks, nextCursor, choices } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ webhook: Webhook; secret: string | undefined }>();
  const reason = denialReason(useMe(), 'webhook.manage', 'webhooks');
  const status = search.get('status');
  const create = (
    <WithReason reason={reason}>
      <Button disabled={reason !== undefined} onClick={() => setCreating(true)} leftSection={<IconPlus size={16} />}>
        Add endpoint
      </Button>
    </WithReason>
  );
  return (
    <Page
      title="Webhooks"
      description="We send events to your server as they happen. If it’s down, we keep them for 30 days and deliver them when it recovers."
      actions={create}
    >
      {created && (
        <Section title="Endpoint added">
          {created.secret && (
            <SecretPanel
              title={`Signing secret for ${created.webhook.url}`}
              secret={created.secret}
              fileName={`${created.webhook.id}.txt`}
              onSaved={() => setCreated({ ...created, secret: undefined })}
            />
          )}
          <Text>
            Use the secret to <TextLink to="/developers?in=ts">verify each request</TextLink>. Then{' '}
            <TextLink to={`/developers/webhooks/${created.webhook.id}`}>send a test event</TextLink>.
          </Text>
        </Section>
      )}
      <FilterChips filters={filters} />
      <Section>
        {webhooks.length === 0 ? (
          <Empty
            title={isStatus(status) ? 'No endpoints with this status' : 'No endpoints yet'}
            drawing="webhook"
            action={create}
          >
            An endpoint is an HTTPS URL on your server. We send it a signed request for each event.
          </Empty>
        ) : (
          <EndpointTable webhooks={webhooks} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      <CreateWebhook
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        choices={choices}
        onCreated={(done) => {
          setCreating(false);
          setCreated(done);
          scrollTo({ top: 0 });
        }}
      />
    </Page>
  );
}

function EndpointTable({ webhooks }: { webhooks: ReturnType<typeof useLoaderData<typeof loader>>['webhooks'] }) {
  return (
    <Rows
      label="Endpoint list"
      columns={[
        'Endpoint',
        'Status',
        'Recent deliveries',
        { label: 'Pending', align: 'right' },
        'Events',
        { label: 'Last success', align: 'right' },
      ]}
      minWidth={860}
    >
      {webhooks.map(({ id, url, description, status, deliveries, health, eventTypes }) => (
        <Table.Tr key={id}>
          <Table.Td maw={320}>
            <RowLink to={`/developers/webhooks/${id}`}>{description || new URL(url).host}</RowLink>
            <Text size="xs" c="dimmed" style={{ wordBreak: 'break-all' }}>
              {url}
            </Text>
          </Table.Td>
          <Table.Td>
            <Status tone={statusLabels[status].tone}>{statusLabels[status].label}</Status>
          </Table.Td>
          <Table.Td>
            <Sparkline deliveries={deliveries} />
          </Table.Td>
          <Table.Td>{health.waiting}</Table.Td>
          <Table.Td>
            {eventTypes.includes('*')
              ? 'All events'
              : eventTypes.length <= 2
                ? eventTypes.join(', ')
                : pluralize(eventTypes.length, 'event type')}
          </Table.Td>
          <Table.Td>
            <Ago at={health.lastSuccessAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
