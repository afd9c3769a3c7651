import { Button, Group, List, Progress, SimpleGrid, Stack, Text, ThemeIcon } from '@mantine/core';
import { portalContext } from '@parley/portal-kit/context';
import { Ago, Page, Section, Status, TextLink } from '@parley/portal-kit/ui';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useLayoutData } from '../parts/me.ts';
import { hasPermission } from '../parts/rights.ts';
import { stripMarkdown } from './conversations/states.ts';
import { readSetup } from '../parts/setup-state.ts';

export const meta = () => [{ title: 'Home · Parley' }];

export async function loader({ context }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const endpointsWithStatus = (status: 'failing' | 'broken' | 'disabled') =>
    service.GET('/webhooks', { params: { query: { status, limit: 5 } } });
  // Each may be missing from the member's role or plan. Its section is then left out.
  const [setup, waiting, today, unanswered, usage, ...endpoints] = await Promise.all([
    readSetup(service),
    service.GET('/conversations', { params: { query: { state: 'waiting_human', limit: 5 } } }),
    service.GET('/insights', { params: { query: { from: day(0), to: day(0) } } }),
    service.GET('/insights/unanswered', { params: { query: { from: day(7), limit: 5 } } }),
    service.GET('/usage', { params: { query: { from: day(0), to: day(0) } } }),
    endpointsWithStatus('failing'),
    endpointsWithStatus('broken'),
    endpointsWithStatus('disabled'),
  ]);
  return {
    setup,
    waiting: waiting.data?.data ?? [],
    today: today.data?.total,
    unanswered: unanswered.data?.data ?? [],
    usage: usage.data && { messages: usage.data.messagesThisMonth, spend: usage.data.modelSpendToday },
    endpoints: endpoints.flatMap(({ data }) => data?.data ?? []),
  };
}

export default function Home() {
  const { setup, waiting, today, unanswered, usage, endpoints } = useLoaderData<typeof loader>();
  const { me } = useLayoutData();
  const isSetUp = Object.values(setup.steps).every(Boolean);
  return (
    <Page
      title={isSetUp ? 'Today' : 'Welcome'}
      description={isSetUp ? undefined : 'Get your bot live on your website in a few steps.'}
    >
      {!isSetUp && <Checklist setup={setup} isAllowed={hasPermission(me, 'bot.manage')} />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {today && (
          <Section title="Conversations today">
            <Group gap="xl">
              <Figure value={today.conversations} label="started" />
              <Figure value={today.answered} label="questions answered" />
              <Figure value={today.unanswered} label="questions unanswered" />
              <Figure value={today.handedOff} label="handed off" />
            </Group>
            <TextLink to="/insights">View insights</TextLink>
          </Section>
        )}
        <Section title="Waiting for an agent">
          {waiting.length === 0 ? (
            <Text c="dimmed">No conversations are waiting. Visitors who ask for a person appear here.</Text>
          ) : (
            <List listStyleType="none" spacing={4}>
              {waiting.map(({ id, preview, waitingSince }) => (
                <List.Item key={id}>
                  <TextLink to={`/conversations/${id}?state=waiting_human`}>
                    {stripMarkdown(preview) || 'Conversation'}
                  </TextLink>{' '}
                  <Text span c="dimmed">
                    <Ago at={waitingSince} />
                  </Text>
                </List.Item>
              ))}
            </List>
          )}
        </Section>
        <Section
          title="Unanswered questions"
          description="From the last 7 days, most frequent first. Add knowledge to close the gaps."
        >
          {unanswered.length === 0 ? (
            <Text c="dimmed">None yet. Questions your bot can’t answer appear here.</Text>
          ) : (
            <List spacing={4}>
              {unanswered.map(({ question, times, conversationId }) => (
                <List.Item key={question}>
                  {conversationId ? <TextLink to={`/conversations/${conversationId}`}>{question}</TextLink> : question}{' '}
                  <Text span c="dimmed">
                    ({times === 1 ? 'once' : `${times} times`})
                  </Text>
                </List.Item>
              ))}
            </List>
          )}
        </Section>
        {hasPermission(me, 'webhook.view') && (
          <Section title="Webhooks">
            {endpoints.length === 0 ? (
              <Text c="dimmed">All endpoints healthy.</Text>
            ) : (
              <List listStyleType="none" spacing={4}>
                {endpoints.map(({ id, url, status }) => (
                  <List.Item key={id}>
                    <Status tone={status === 'failing' ? 'warn' : 'bad'}>{status}</Status>{' '}
                    <TextLink to={`/developers/webhooks/${id}`}>{url}</TextLink>
                  </List.Item>
                ))}
              </List>
            )}
          </Section>
        )}
        {usage && (
          <Section title="Budget">
            <Bar label="Messages this month" used={usage.messages.used} allowed={usage.messages.allowed} />
            <Bar label="AI spend today" used={usage.spend.used} allowed={usage.spend.allowed} unit="$" />
            <TextLink to="/organisation/plan">Plan and usage</TextLink>
          </Section>
        )}
      </SimpleGrid>
    </Page>
  );
}

function Checklist({ setup, isAllowed }: { setup: Awaited<ReturnType<typeof loader>>['setup']; isAllowed: boolean }) {
  const { steps, bot } = setup;
  const lines = [
    { isDone: steps.isNamed, text: 'Name your bot and add your website' },
    { isDone: steps.hasKnowledge, text: 'Add knowledge from a web page, a file or text' },
    { isDone: steps.isPublished, text: 'Try and publish' },
    { isDone: steps.isInstalled, text: 'Add it to your website' },
  ];
  return (
    <Section title="Set up your bot">
      <Stack gap={6} component="ul" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
        {lines.map(({ isDone, text }) => (
          <Group key={text} gap="xs" component="li" wrap="nowrap">
            <ThemeIcon
              size="sm"
              radius="xl"
              color={isDone ? 'teal' : 'gray'}
              variant={isDone ? 'filled' : 'light'}
              aria-hidden
            >
              {isDone ? <IconCheck size={14} /> : <IconCircleDashed size={14} />}
            </ThemeIcon>
            <Text>
              {text}
              {isDone ? ' (done)' : ''}
            </Text>
          </Group>
        ))}
      </Stack>
      {isAllowed ? (
        <Button component={Link} to={bot ? `/setup?bot=${bot.id}` : '/setup'} w="fit-content">
          {bot ? 'Continue' : 'Get started'}
        </Button>
      ) : (
        <Text c="dimmed">Ask an owner, admin or developer in your organisation to set up the bot.</Text>
      )}
    </Section>
  );
}

const Figure = ({ value, label }: { value: number; label: string }) => (
  <div>
    <Text fz={24} fw={650} lh={1.1}>
      {value}
    </Text>
    <Text c="dimmed" size="sm">
      {label}
    </Text>
  </div>
);

function Bar({ label, used, allowed, unit = '' }: { label: string; used: number; allowed: number; unit?: string }) {
  const percent = allowed > 0 ? Math.min(100, (100 * used) / allowed) : 100;
  const format = (amount: number) => (unit ? `${unit}${amount.toFixed(2)}` : amount.toLocaleString('en'));
  return (
    <div>
      <Group justify="space-between">
        <Text>{label}</Text>
        <Text c="dimmed">
          {format(used)} of {format(allowed)}
          {percent >= 100 ? ', limit reached' : percent >= 80 ? ', close to the limit' : ''}
        </Text>
      </Group>
      <Progress value={percent} color={percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'teal'} aria-label={label} />
    </div>
  );
}
