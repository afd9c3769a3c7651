import { Button, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  api,
  call,
  ConfirmByName,
  DetailColumns,
  keepLast,
  Page,
  ProblemText,
  Section,
  Status,
  toast,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useLoaderData, useNavigate, useRevalidator, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { DeliveryLog } from './parts/delivery-log.tsx';
import { usePoll } from './parts/poll.ts';
import { ReplaySection } from './parts/replay.tsx';
import { TabError } from './parts/tab-error.tsx';
import { choicesOf } from './parts/webhook-choices.ts';
import { WebhookHealth } from './parts/webhook-health.tsx';
import { InboundSecret, SigningSecret } from './parts/webhook-secrets.tsx';
import { WebhookSettings } from './parts/webhook-settings.tsx';
import { WebhookTests } from './parts/webhook-tests.tsx';
import { pluralize, isDeliveryStatus, isOnHold, statusLabels, type Webhook } from './parts/webhook-labels.ts';

export const meta = () => [{ title: 'Endpoint · Parley' }];
export const ErrorBoundary = TabError;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const path = { webhookId: params['webhookId'] ?? '' };
  const [status, cursor] = [searchParams.get('status'), searchParams.get('cursor')];
  const replayId = searchParams.get('replay');
  const query = { limit: 25, ...(cursor && { cursor }), ...(isDeliveryStatus(status) && { status }) };
  const [webhook, log, recent, replay, choices] = await Promise.all([
    service.GET('/webhooks/{webhookId}', { params: { path } }),
    service.GET('/webhooks/{webhookId}/deliveries', { params: { path, query } }),
    service.GET('/webhooks/{webhookId}/deliveries', { params: { path, query: { limit: 50 } } }),
    replayId
      ? service.GET('/webhooks/{webhookId}/replays/{replayId}', { params: { path: { ...path, replayId } } })
      : undefined,
    choicesOf(service),
  ]);
  const { data, nextCursor } = read(log, request);
  return {
    webhook: read(webhook, request).webhook,
    deliveries: data,
    nextCursor,
    recent: recent.data?.data ?? [],
    replay: replay?.data?.replay,
    choices,
  };
}

export const clientLoader = keepLast<typeof loader>();

export default function Endpoint() {
  const { webhook, deliveries, nextCursor, recent, replay, choices } = useLoaderData<typeof loader>();
  const reason = denialReason(useMe(), 'webhook.manage', 'webhooks');
  const { revalidate } = useRevalidator();
  // Poll more often while deliveries are pending or the endpoint is unhealthy.
  const isInProgress = webhook.status !== 'paused' && (webhook.status !== 'active' || webhook.health.waiting > 0);
  usePoll(
    true,
    isInProgress ? 5_000 : 10_000,
    useCallback(() => revalidate(), [revalidate]),
  );
  return (
    <Page
      title={webhook.description || new URL(webhook.url).host}
      breadcrumb={[{ to: '/developers/webhooks', label: 'All endpoints' }]}
      state={<Status tone={statusLabels[webhook.status].tone}>{statusLabels[webhook.status].label}</Status>}
      description={webhook.url}
      actions={<PauseOrResume webhook={webhook} reason={reason} />}
    >
      <WebhookHealth webhook={webhook} recent={recent} />
      <DetailColumns
        facts={
          <>
            <WebhookSettings webhook={webhook} choices={choices} reason={reason} />
            <SigningSecret webhook={webhook} reason={reason} />
            <InboundSecret webhook={webhook} reason={reason} />
          </>
        }
      >
        <DeliveryLog
          webhookId={webhook.id}
          deliveries={deliveries}
          nextCursor={nextCursor}
          isOnHold={isOnHold(webhook)}
        />
        <WebhookTests webhookId={webhook.id} eventTypes={choices.eventTypes} reason={reason} />
        <ReplaySection
          webhookId={webhook.id}
          replay={replay}
          waiting={webhook.health.waiting}
          isOnHold={isOnHold(webhook)}
          reason={reason}
        />
        <Remove webhook={webhook} reason={reason} />
      </DetailColumns>
    </Page>
  );
}

interface Props {
  webhook: Webhook;
  reason: string | undefined;
}

function PauseOrResume({ webhook: { id, status }, reason }: Props) {
  const params = { params: { path: { webhookId: id } } };
  const pause = useAction(() => call(api.POST('/webhooks/{webhookId}/pause', params)));
  const resume = useAction(() => call(api.POST('/webhooks/{webhookId}/resume', params)), {
    success: 'Endpoint resumed.',
  });
  const pauseNow = async () => {
    if (!(await pause.run())) return;
    toast({ message: 'Endpoint paused. Deliveries wait until you resume it.', undo: () => void resume.run() });
  };
  return (
    <>
      <ProblemText problem={pause.problem ?? resume.problem} />
      <WithReason reason={reason}>
        {isOnHold({ status }) ? (
          <Button
            disabled={!!reason}
            loading={resume.isRunning}
            onClick={() => void resume.run()}
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
          >
            Resume
          </Button>
        ) : (
          <Button
            variant="default"
            disabled={!!reason}
            loading={pause.isRunning}
            onClick={() => void pauseNow()}
            leftSection={<IconPlayerPause size={16} aria-hidden />}
          >
            Pause
          </Button>
        )}
      </WithReason>
    </>
  );
}

function Remove({ webhook, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  // The page is gone afterwards, so nothing is reloaded.
  const remove = useAction(
    () => call(api.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } } })),
    { isQuiet: true },
  );
  const { waiting } = webhook.health;
  return (
    <Section
      title="Delete endpoint"
      actions={
        <WithReason reason={reason}>
          <Button size="xs" color="red" variant="outline" disabled={!!reason} onClick={() => setOpen(true)}>
            Delete endpoint
          </Button>
        </WithReason>
      }
    >
      <Text>
        Also deletes its delivery log and pending deliveries. To stop deliveries for a while, pause the endpoint
        instead.
      </Text>
      <ConfirmByName
        isOpen={isOpen}
        title="Delete this endpoint?"
        name={new URL(webhook.url).host}
        confirmLabel="Delete endpoint"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run().then((done) => done && navigate('/developers/webhooks'))}
        onClose={() => setOpen(false)}
      >
        We stop sending events to {webhook.url}. Its signing secret
        {waiting > 0
          ? `, delivery log and ${pluralize(waiting, 'pending delivery', 'pending deliveries')}`
          : ' and delivery log'}{' '}
        are deleted. You can’t undo this.
      </ConfirmByName>
    </Section>
  );
}
