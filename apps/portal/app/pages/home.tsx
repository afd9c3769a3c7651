import { Alert, SimpleGrid, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { Page, TextLink } from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconCode } from '@tabler/icons-react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { unhealthyStatuses } from '../parts/failing-endpoints.ts';
import { findLiveBot } from '../parts/live-bot.ts';
import { useMe } from '../parts/me.ts';
import { hasPermission } from '../parts/rights.ts';
import { readSetup } from '../parts/setup-state.ts';
import { FailingEndpoints, Unanswered, Waiting } from './home/attention.tsx';
import { Checklist } from './home/checklist.tsx';
import { Budget, Today } from './home/figures.tsx';

export const meta = () => [{ title: 'Home · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const [liveBot, waiting, today, unanswered, usage, ...endpoints] = await Promise.all([
    findLiveBot(service, request),
    service.GET('/conversations', { params: { query: { isWaiting: 'true', sort: 'waiting', limit: 5 } } }),
    service.GET('/insights', { params: { query: { from: day(0), to: day(0) } } }),
    service.GET('/insights/unanswered', { params: { query: { from: day(7), limit: 5 } } }),
    service.GET('/usage', { params: { query: { from: day(0), to: day(0) } } }),
    ...unhealthyStatuses.map((status) => service.GET('/webhooks', { params: { query: { status, limit: 5 } } })),
  ]);
  const [setup, installs] = await Promise.all([
    liveBot ? null : readSetup(service, request),
    liveBot?.status === 'active'
      ? service.GET('/bots/{id}/installs', { params: { path: { id: liveBot.id } } })
      : undefined,
  ]);
  // What the member’s role or plan doesn’t include is refused, and its section left out.
  const isMissing = [waiting, today, unanswered, usage, ...endpoints].some(
    ({ response }) => !response.ok && response.status !== 403,
  );
  return {
    setup,
    isMissing,
    notInstalled: liveBot && installs?.data?.data.length === 0 ? { id: liveBot.id, name: liveBot.name } : null,
    waiting: waiting.data?.data ?? [],
    today: today.data?.total,
    unanswered: unanswered.data?.data ?? [],
    usage: usage.data && { messages: usage.data.messagesThisMonth, spend: usage.data.modelSpendToday },
    endpoints: endpoints.flatMap(({ data }) => data?.data ?? []),
  };
}

export default function Home() {
  const { setup, isMissing, notInstalled, today, waiting, unanswered, endpoints, usage } =
    useLoaderData<typeof loader>();
  const me = useMe();
  const isAllClear = !isMissing && waiting.length === 0 && unanswered.length === 0 && endpoints.length === 0;
  // During the setup, figures of zero say nothing.
  const hasUsage = usage && (!setup || usage.messages.used > 0 || usage.spend.used > 0);
  const hasToday = today && (!setup || today.conversations > 0);
  return (
    <Page
      title={setup ? 'Welcome' : 'Today'}
      description={setup && 'Get your bot live on your website in a few steps.'}
    >
      {setup && <Checklist setup={setup} isAllowed={hasPermission(me, 'bot.manage')} />}
      {notInstalled && (
        <Alert color="teal" variant="light" icon={<IconCode size={18} aria-hidden />}>
          <b>{notInstalled.name}</b> is published but hasn’t been seen on a website yet.{' '}
          <TextLink to={`/bots/${notInstalled.id}/install`}>Install it</TextLink>
        </Alert>
      )}
      {isMissing && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
          Some of this page couldn’t be loaded. Reload it to try again.
        </Alert>
      )}
      {hasToday && <Today total={today} />}
      {isAllClear && !setup && <Text c="dimmed">All clear. Nothing needs your attention.</Text>}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {waiting.length > 0 && <Waiting conversations={waiting} />}
        {unanswered.length > 0 && <Unanswered questions={unanswered} />}
        {endpoints.length > 0 && <FailingEndpoints endpoints={endpoints} />}
        {hasUsage && <Budget {...usage} />}
      </SimpleGrid>
    </Page>
  );
}
