import { Alert, SimpleGrid, Text } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import type { Service } from '@parley/portal-kit/service';
import { Page, TextLink } from '@parley/portal-kit/ui';
import { IconCode } from '@tabler/icons-react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../parts/me.ts';
import { hasPermission } from '../parts/rights.ts';
import { readSetup } from '../parts/setup-state.ts';
import { FailingEndpoints, Unanswered, Waiting } from './home/attention.tsx';
import { Checklist } from './home/checklist.tsx';
import { Budget, Today } from './home/figures.tsx';

export const meta = () => [{ title: 'Home · Parley' }];

export async function loader({ context }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { liveBot, setup } = await readProgress(service);
  if (setup) return { setup };
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const endpointsWithStatus = (status: 'failing' | 'broken' | 'disabled') =>
    service.GET('/webhooks', { params: { query: { status, limit: 5 } } });
  // Each may be missing from the member's role or plan. Its section is then left out.
  const [installs, waiting, today, unanswered, usage, ...endpoints] = await Promise.all([
    service.GET('/bots/{id}/installs', { params: { path: { id: liveBot.id } } }),
    service.GET('/conversations', { params: { query: { state: 'waiting_human', limit: 5 } } }),
    service.GET('/insights', { params: { query: { from: day(0), to: day(0) } } }),
    service.GET('/insights/unanswered', { params: { query: { from: day(7), limit: 5 } } }),
    service.GET('/usage', { params: { query: { from: day(0), to: day(0) } } }),
    endpointsWithStatus('failing'),
    endpointsWithStatus('broken'),
    endpointsWithStatus('disabled'),
  ]);
  return {
    notInstalled: installs.data?.data.length === 0 ? { id: liveBot.id, name: liveBot.name } : null,
    waiting: waiting.data?.data ?? [],
    today: today.data?.total,
    unanswered: unanswered.data?.data ?? [],
    usage: usage.data && { messages: usage.data.messagesThisMonth, spend: usage.data.modelSpendToday },
    endpoints: endpoints.flatMap(({ data }) => data?.data ?? []),
  };
}

/** The newest bot that visitors can reach, or how far the setup of the first one is. */
async function readProgress(service: Service) {
  const bots = await service.GET('/bots', { params: { query: { status: 'active', limit: 100 } } });
  const liveBot = bots.data?.data.find(({ deployments }) => Object.keys(deployments).length > 0);
  return liveBot ? { liveBot } : { setup: await readSetup(service) };
}

export default function Home() {
  const data = useLoaderData<typeof loader>();
  const me = useMe();
  if (data.setup)
    return (
      <Page title="Welcome" description="Get your bot live on your website in a few steps.">
        <Checklist setup={data.setup} isAllowed={hasPermission(me, 'bot.manage')} />
      </Page>
    );
  const { notInstalled, today, waiting, unanswered, endpoints, usage } = data;
  const isAllClear = waiting.length === 0 && unanswered.length === 0 && endpoints.length === 0;
  return (
    <Page title="Today">
      {notInstalled && (
        <Alert color="teal" variant="light" icon={<IconCode size={18} aria-hidden />}>
          <b>{notInstalled.name}</b> is published but hasn’t been seen on a website yet.{' '}
          <TextLink to={`/bots/${notInstalled.id}/install`}>Install it</TextLink>
        </Alert>
      )}
      {today && <Today total={today} />}
      {isAllClear && <Text c="dimmed">All clear. Nothing needs your attention.</Text>}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {waiting.length > 0 && <Waiting conversations={waiting} />}
        {unanswered.length > 0 && <Unanswered questions={unanswered} />}
        {endpoints.length > 0 && <FailingEndpoints endpoints={endpoints} />}
        {usage && <Budget {...usage} />}
      </SimpleGrid>
    </Page>
  );
}
