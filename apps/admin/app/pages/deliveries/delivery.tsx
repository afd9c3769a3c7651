import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  AttemptView,
  call,
  Dialog,
  Empty,
  field,
  Id,
  keepLast,
  Page,
  ProblemText,
  Section,
  Status,
  TextLink,
  useAction,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { Fragment, useState, type FormEvent } from 'react';
import { useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { Reason } from './replays.tsx';
import { deliveryPath, endpointPath, statusOf } from './words.ts';

export const meta = () => [{ title: 'Delivery · Parley operators' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = {
    id: params['tenantId'] ?? '',
    webhookId: params['webhookId'] ?? '',
    deliveryId: params['deliveryId'] ?? '',
  };
  const found = await service.GET('/admin/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}', {
    params: { path },
  });
  return read(found, request);
}
export const clientLoader = keepLast<typeof loader>();

export default function DeliveryPage() {
  const { delivery } = useLoaderData<typeof loader>();
  const { tone, word } = statusOf(delivery);
  usePolling(2_000, delivery.status === 'pending');
  return (
    <Page title={delivery.eventType} about={delivery.hint ?? 'Not tried yet.'} actions={<ReplayOne />}>
      <div>
        <TextLink to={endpointPath({ tenantId: delivery.tenantId, id: delivery.webhookId })}>
          Endpoint {delivery.host} of {delivery.tenantName}
        </TextLink>
      </div>
      <Section title="Delivery" actions={<Status tone={tone}>{word}</Status>}>
        <Facts
          facts={[
            ['Delivery', <Id key="id" id={delivery.id} />],
            ['Event', <Id key="event" id={delivery.eventId} />],
            ['Kind', delivery.isReplay ? 'Replayed' : 'First delivery'],
            ['Created', <Ago key="created" at={delivery.createdAt} />],
            ['Ended', <Ago key="ended" at={delivery.finishedAt} never="not yet" />],
            [
              'Next try',
              delivery.isHeld ? (
                'When the endpoint delivers again'
              ) : (
                <Ago key="next" at={delivery.nextAttemptAt} never="none" />
              ),
            ],
          ]}
        />
      </Section>
      <Section title="Tries" about="What was sent and answered is the tenant’s own, and not shown here.">
        {delivery.log.length === 0 ? (
          <Empty title="Not tried yet">Each try is listed here, with where the time went.</Empty>
        ) : (
          delivery.log.map((attempt, n) => (
            <Fragment key={attempt.id ?? n}>
              {n > 0 && <Divider />}
              <AttemptView attempt={attempt} />
            </Fragment>
          ))
        )}
      </Section>
    </Page>
  );
}

function ReplayOne() {
  const { delivery } = useLoaderData<typeof loader>();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const why =
    whyNot(useMe(), 'platform.tenant.manage') ??
    (delivery.isReplayable ? undefined : 'The event is older than 30 days, and its bytes are gone.');
  const path = { id: delivery.tenantId, webhookId: delivery.webhookId, deliveryId: delivery.id };
  const replay = useAction(
    (reason: string) =>
      call(
        api.POST('/admin/tenants/{id}/webhooks/{webhookId}/deliveries/{deliveryId}/replay', {
          params: { path },
          body: { reason },
        }),
      ),
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void replay.run(field(event.currentTarget, 'reason').trim()).then((done) => {
      if (!done) return;
      setOpen(false);
      void navigate(deliveryPath(done.delivery));
    });
  };
  return (
    <>
      <WithReason reason={why}>
        <Button disabled={!!why} onClick={() => setOpen(true)}>
          Replay
        </Button>
      </WithReason>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Replay this delivery">
        <form onSubmit={send}>
          <Stack>
            <Text>{delivery.host} gets the same event once more. It knows it by its id.</Text>
            <Reason />
            <ProblemText problem={replay.problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button type="submit" loading={replay.isRunning}>
                Replay
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
