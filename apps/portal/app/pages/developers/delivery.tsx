import { Button, Divider, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  DetailColumns,
  Empty,
  Facts,
  Id,
  keepLast,
  Page,
  ProblemText,
  Section,
  Snippet,
  Status,
  TextLink,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconRefresh } from '@tabler/icons-react';
import { Fragment, useCallback } from 'react';
import { useLoaderData, useNavigate, useRevalidator, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { DeliveryAttempt } from './parts/attempt.tsx';
import { usePoll } from './parts/poll.ts';
import { TabError } from './parts/tab-error.tsx';
import { deliveryStatusLabels, isOnHold } from './parts/webhook-labels.ts';

export const meta = () => [{ title: 'Delivery · Parley' }];
export const ErrorBoundary = TabError;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = { webhookId: params['webhookId'] ?? '', deliveryId: params['deliveryId'] ?? '' };
  const [response, endpoint] = await Promise.all([
    service.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } }),
    service.GET('/webhooks/{webhookId}', { params: { path: { webhookId: path.webhookId } } }),
  ]);
  return { ...read(response, request), isEndpointOnHold: endpoint.data ? isOnHold(endpoint.data.webhook) : false };
}

export const clientLoader = keepLast<typeof loader>();

/** Formatted for reading. The curl command has the exact bytes. */
function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export default function DeliveryPage() {
  const { delivery } = useLoaderData<typeof loader>();
  const { webhookId, eventType, status, log, body, curl } = delivery;
  const { revalidate } = useRevalidator();
  // Poll until the delivery has finished.
  usePoll(
    status === 'pending',
    3_000,
    useCallback(() => revalidate(), [revalidate]),
  );
  const scaleMs = Math.max(0, ...log.map(({ timings }) => timings?.totalMs ?? 0));
  return (
    <Page
      title={eventType}
      breadcrumb={[
        { to: '/developers/webhooks', label: 'Webhooks' },
        { to: `/developers/webhooks/${webhookId}`, label: 'Endpoint' },
      ]}
      state={<Status tone={deliveryStatusLabels[status].tone}>{deliveryStatusLabels[status].label}</Status>}
      description={delivery.hint ?? 'No attempts yet.'}
      actions={<ReplayOne />}
    >
      <DetailColumns facts={<DeliveryFacts />}>
        <Section title="Attempts">
          {log.length === 0 ? (
            <Empty title="No attempts yet" drawing="webhook">
              Each attempt appears here with its timings and your server’s response.
            </Empty>
          ) : (
            <Stack>
              {log.map((attempt, at) => (
                <Fragment key={attempt.id ?? at}>
                  {at > 0 && <Divider />}
                  <DeliveryAttempt attempt={attempt} scaleMs={scaleMs} />
                </Fragment>
              ))}
            </Stack>
          )}
        </Section>
        <Section title="Request">
          {body === null ? (
            <Text>This event is more than 30 days old, so its payload has been deleted.</Text>
          ) : (
            <>
              <Snippet label="Request body (formatted)">{formatBody(body)}</Snippet>
              {curl && <Snippet label="curl command (unsigned, so your server should reject it)">{curl}</Snippet>}
            </>
          )}
        </Section>
      </DetailColumns>
    </Page>
  );
}

function DeliveryFacts() {
  const { delivery, isEndpointOnHold } = useLoaderData<typeof loader>();
  const { status, conversationId, finishedAt, nextAttemptAt } = delivery;
  const nextAttempt = isEndpointOnHold ? (
    'When the endpoint is active again'
  ) : (
    <Ago at={nextAttemptAt} fallback="soon" />
  );
  return (
    <Section title="Delivery">
      <Facts
        facts={[
          [
            'Status',
            <Status key="status" tone={deliveryStatusLabels[status].tone}>
              {deliveryStatusLabels[status].label}
            </Status>,
          ],
          ['Created', <Ago key="created" at={delivery.createdAt} />],
          ['Finished', finishedAt ? <Ago key="finished" at={finishedAt} /> : undefined],
          ['Next attempt', status === 'pending' ? nextAttempt : undefined],
          ['Type', delivery.isReplay ? 'Resent' : 'Original'],
          [
            'Conversation',
            conversationId ? (
              <TextLink key="conversation" to={`/conversations/${conversationId}`}>
                View conversation
              </TextLink>
            ) : undefined,
          ],
          ['Delivery ID', <Id key="id" id={delivery.id} />],
          ['Event ID', <Id key="event" id={delivery.eventId} />],
        ]}
      />
    </Section>
  );
}

function ReplayOne() {
  const { delivery } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  const reason =
    denialReason(useMe(), 'webhook.manage', 'webhooks') ??
    (delivery.body === null ? 'This event is more than 30 days old, so its payload has been deleted.' : undefined);
  const { webhookId, id: deliveryId } = delivery;
  const replay = useAction(
    () =>
      call(
        api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
          params: { path: { webhookId, deliveryId } },
        }),
      ),
    { isQuiet: true },
  );
  const startReplay = () =>
    void replay
      .run()
      .then((done) => done && navigate(`/developers/webhooks/${webhookId}/deliveries/${done.delivery.id}`));
  return (
    <>
      <ProblemText problem={replay.problem} />
      <WithReason reason={reason}>
        <Button
          disabled={!!reason}
          loading={replay.isRunning}
          onClick={startReplay}
          leftSection={<IconRefresh size={16} aria-hidden />}
        >
          Resend
        </Button>
      </WithReason>
    </>
  );
}
