import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  Empty,
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
import { whyNot } from '../../parts/rights.ts';
import { OwnAttempt } from './parts/attempt.tsx';
import { usePoll } from './parts/poll.ts';
import { TabError } from './parts/tab-error.tsx';
import { counted, deliveryWords, isHolding } from './parts/webhook-words.ts';

export const meta = () => [{ title: 'Delivery · Parley' }];
export const ErrorBoundary = TabError;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = { webhookId: params['webhookId'] ?? '', deliveryId: params['deliveryId'] ?? '' };
  const [found, endpoint] = await Promise.all([
    service.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } }),
    service.GET('/webhooks/{webhookId}', { params: { path: { webhookId: path.webhookId } } }),
  ]);
  return { ...read(found, request), isHeld: endpoint.data ? isHolding(endpoint.data.webhook) : false };
}

export const clientLoader = keepLast<typeof loader>();

/** As it is read best; the bytes themselves are in the curl. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export default function DeliveryPage() {
  const { delivery, isHeld } = useLoaderData<typeof loader>();
  const { webhookId, eventType, status, log, body, curl } = delivery;
  const { revalidate } = useRevalidator();
  // What is on its way is watched until it ends.
  usePoll(
    status === 'pending',
    3_000,
    useCallback(() => revalidate(), [revalidate]),
  );
  const scaleMs = Math.max(0, ...log.map(({ timings }) => timings?.totalMs ?? 0));
  return (
    <Page title={eventType} about={delivery.hint ?? 'Not tried yet.'} actions={<ReplayOne />}>
      <div>
        <TextLink to={`/developers/webhooks/${webhookId}`}>Back to the endpoint</TextLink>
      </div>
      <Section
        title="Delivery"
        actions={<Status tone={deliveryWords[status].tone}>{deliveryWords[status].word}</Status>}
      >
        <Group gap="xl" align="flex-start">
          <Fact label="Delivery" value={<Id id={delivery.id} />} />
          <Fact label="Event" value={<Id id={delivery.eventId} />} />
          {delivery.conversationId && (
            <Fact
              label="Conversation"
              value={<TextLink to={`/conversations/${delivery.conversationId}`}>Open it</TextLink>}
            />
          )}
          <Fact label="Created" value={<Ago at={delivery.createdAt} />} />
          {delivery.finishedAt && <Fact label="Ended" value={<Ago at={delivery.finishedAt} />} />}
          {status === 'pending' && (
            <Fact
              label="Next try"
              value={isHeld ? 'When the endpoint delivers again' : <Ago at={delivery.nextAttemptAt} never="soon" />}
            />
          )}
          <Fact label="Kind" value={delivery.isReplay ? 'Replayed' : 'First delivery'} />
        </Group>
      </Section>
      <Section title={log.length === 0 ? 'Tries' : counted(log.length, 'try', 'tries')}>
        {log.length === 0 ? (
          <Empty title="Not tried yet">
            Each try is listed here, with where the time went and what your server said.
          </Empty>
        ) : (
          <Stack>
            {log.map((attempt, at) => (
              <Fragment key={attempt.id ?? at}>
                {at > 0 && <Divider />}
                <OwnAttempt attempt={attempt} scaleMs={scaleMs} />
              </Fragment>
            ))}
          </Stack>
        )}
      </Section>
      <Section title="What is sent">
        {body === null ? (
          <Text>The event is older than 30 days, and its bytes are gone.</Text>
        ) : (
          <>
            <Snippet label="The body, formatted for reading">{formatted(body)}</Snippet>
            {curl && (
              <Snippet label="Repeat it from your machine (unsigned, so a careful server refuses it)">{curl}</Snippet>
            )}
          </>
        )}
      </Section>
    </Page>
  );
}

function ReplayOne() {
  const { delivery } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  const reason =
    whyNot(useMe(), 'webhook.manage', 'webhooks') ??
    (delivery.body === null ? 'The event is older than 30 days, and its bytes are gone.' : undefined);
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
  const go = () =>
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
          onClick={go}
          leftSection={<IconRefresh size={16} aria-hidden />}
        >
          Replay
        </Button>
      </WithReason>
    </>
  );
}

const Fact = ({ label, value }: { label: string; value: React.ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text component="div">{value}</Text>
  </div>
);
