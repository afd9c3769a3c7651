import { Anchor, Button, NativeSelect, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  Page,
  Pager,
  Rows,
  SecretPanel,
  Section,
  Status,
  TextLink,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { Sparkline } from './parts/sparkline.tsx';
import { TabError } from './parts/tab-error.tsx';
import { choicesOf } from './parts/webhook-choices.ts';
import { CreateWebhook } from './parts/webhook-form.tsx';
import { counted, statusWords, type Webhook } from './parts/webhook-words.ts';

export const meta = () => [{ title: 'Webhooks · Parley' }];
export const ErrorBoundary = TabError;

const isStatus = (value: string | null): value is Webhook['status'] => value !== null && value in statusWords;

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
  const [search, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ webhook: Webhook; secret: string | undefined }>();
  const reason = whyNot(useMe(), 'webhook.manage', 'webhooks');
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
      about="We call your server when something happens. Nothing is dropped while it is down: it is held, and comes later."
      actions={create}
    >
      {created && (
        <Section title="Your endpoint is registered">
          {created.secret && (
            <SecretPanel
              title={`Secret of ${created.webhook.url}`}
              secret={created.secret}
              fileName={`${created.webhook.id}.txt`}
              onKept={() => setCreated({ ...created, secret: undefined })}
            />
          )}
          <Text>
            Verify each call with it: <TextLink to="/developers?in=ts">see how</TextLink>. Then{' '}
            <TextLink to={`/developers/webhooks/${created.webhook.id}`}>send a test</TextLink>.
          </Text>
        </Section>
      )}
      <Section
        title="Your endpoints"
        actions={
          <NativeSelect
            size="xs"
            aria-label="Status"
            value={isStatus(status) ? status : ''}
            onChange={({ currentTarget: { value } }) => setSearch(value ? { status: value } : {})}
            data={[
              { value: '', label: 'Every status' },
              ...Object.entries(statusWords).map(([value, { word }]) => ({ value, label: word })),
            ]}
          />
        }
      >
        {webhooks.length === 0 ? (
          <Empty title={isStatus(status) ? 'No endpoint has this status' : 'No endpoints yet'} action={create}>
            An endpoint is an https address of yours that we call with a signed message when something happens.
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
      label="Table of your endpoints"
      heads={['Address', 'Status', 'Newest deliveries', 'Waiting', 'Last success', 'Told of']}
      minWidth={860}
    >
      {webhooks.map(({ id, url, description, status, deliveries, health, eventTypes }) => (
        <Table.Tr key={id}>
          <Table.Td maw={320}>
            <Anchor component={Link} to={`/developers/webhooks/${id}`} style={{ wordBreak: 'break-all' }}>
              {url}
            </Anchor>
            <Text size="xs" c="dimmed">
              {description}
            </Text>
          </Table.Td>
          <Table.Td>
            <Status tone={statusWords[status].tone}>{statusWords[status].word}</Status>
          </Table.Td>
          <Table.Td>
            <Sparkline deliveries={deliveries} />
          </Table.Td>
          <Table.Td>{health.waiting}</Table.Td>
          <Table.Td>
            <Ago at={health.lastSuccessAt} />
          </Table.Td>
          <Table.Td>
            {eventTypes.includes('*')
              ? 'Everything'
              : eventTypes.length <= 2
                ? eventTypes.join(', ')
                : counted(eventTypes.length, 'kind')}
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
