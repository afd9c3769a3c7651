import './bots.css';
import { Alert, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Service } from '@parley/portal-kit/service';
import { Id, keepLast, Page, Status, Tabs, TextLink, toast } from '@parley/portal-kit/ui';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { Outlet, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { specOf } from './actions/spec.ts';
import type { Action } from './actions/labels.ts';
import { differences, nameOf } from './differences.ts';
import { Publish } from './publish.tsx';
import { statusTones, statusLabels, type Bot, type BotData } from './bot-data.ts';

export const meta = ({ data }: { data?: BotData }) => [{ title: `${data?.bot.name ?? 'Bot'} · Parley` }];

export async function loader({ context, request, params }: LoaderFunctionArgs): Promise<BotData> {
  const { service } = context.get(portalContext);
  const id = params['botId'] ?? '';
  const [botResponse, published, sourceIds, actions] = await Promise.all([
    service.GET('/bots/{id}', { params: { path: { id } } }),
    service.GET('/bots/{id}/versions', { params: { path: { id }, query: { limit: 25 } } }),
    enabledSources(service, id),
    service.GET('/bots/{id}/actions', { params: { path: { id }, query: { limit: 100 } } }),
  ]);
  const { bot } = read(botResponse, request);
  const versions = read(published, request).data;
  const newest = versions[0] ?? null;
  const unlisted = Object.values(bot.deployments).filter((versionId) =>
    versions.every((head) => head.id !== versionId),
  );
  const getVersion = (versionId: string) =>
    service.GET('/bots/{id}/versions/{versionId}', { params: { path: { id, versionId } } });
  const [environments, content, ...older] = await Promise.all([
    service.GET('/environments', { params: { query: { workspaceId: bot.workspaceId, limit: 100 } } }),
    newest ? getVersion(newest.id).then((response) => read(response, request).version.content) : undefined,
    ...[...new Set(unlisted)].map((versionId) =>
      getVersion(versionId).then((response) => read(response, request).version),
    ),
  ]);
  return {
    bot,
    environments: read(environments, request).data,
    newest,
    changed: changedParts(bot, content, sourceIds, actions.data?.data.map(toVersionAction)),
    numbers: Object.fromEntries([...versions, ...older].map((head) => [head.id, head.number ?? 0])),
  };
}

export const clientLoader = keepLast<typeof loader>();

/** IDs of the enabled sources; undefined if the plan has no knowledge. A bot has at most 200 sources. */
async function enabledSources(service: Service, botId: string): Promise<string[] | undefined> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await service.GET('/bots/{botId}/knowledge-sources', {
      params: { path: { botId }, query: { limit: 100, ...(cursor && { cursor }) } },
    });
    if (!data) return undefined;
    ids.push(...data.data.filter(({ isEnabled }) => isEnabled).map((source) => source.id));
    cursor = data.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

/** An action as stored in a version. A bot has at most 50. */
const toVersionAction = ({ id, ...action }: Action) => ({ id, ...specOf(action) });
type VersionAction = ReturnType<typeof toVersionAction>;

function changedParts(
  { draft }: Bot,
  content: object | undefined,
  sourceIds: string[] | undefined,
  actions: VersionAction[] | undefined,
): string[] {
  if (!content)
    return [
      'title, greeting, appearance and all other settings',
      ...(sourceIds?.length ? ['knowledge'] : []),
      ...(actions?.length ? ['actions'] : []),
    ];
  const { knowledgeSourceIds, actions: old = [], ...published } = content as PublishedContent;
  // Sorted by ID, so that the order does not count as a change.
  const lists = (ids: string[], all: VersionAction[]) => ({
    knowledgeSourceIds: ids.toSorted(),
    actions: all.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
  const before = { ...published, ...lists(knowledgeSourceIds, old) };
  const after = { ...draft, ...lists(sourceIds ?? knowledgeSourceIds, actions ?? old) };
  return differences(before, after).map(({ path }) => nameOf(path));
}

interface PublishedContent {
  knowledgeSourceIds: string[];
  /** Missing in versions older than this feature. */
  actions?: VersionAction[];
}

const tabs = [
  { to: '', label: 'Build' },
  { to: '/knowledge', label: 'Knowledge' },
  { to: '/actions', label: 'Actions' },
  { to: '/appearance', label: 'Appearance' },
  { to: '/install', label: 'Install' },
  { to: '/versions', label: 'Versions' },
  { to: '/settings', label: 'Settings' },
];

export default function BotFrame() {
  const data = useLoaderData<typeof loader>();
  const { bot } = data;
  const [isUnsaved, setUnsaved] = useState(false);
  const home = `/bots/${bot.id}`;
  return (
    <Page
      title={bot.name}
      breadcrumb={[{ to: '/bots', label: 'Bots' }]}
      state={<Status tone={statusTones[bot.status]}>{statusLabels[bot.status]}</Status>}
      description={<LiveText data={data} />}
      actions={
        <>
          <Id id={bot.id} />
          <Publish data={data} isUnsaved={isUnsaved} onDone={(message) => toast({ message })} />
        </>
      }
    >
      <Tabs label="Pages of this bot" tabs={tabs.map(({ to, label }) => ({ to: home + to, label }))} />
      {bot.status !== 'active' && (
        <Alert color="orange" icon={<IconPlayerPause size={18} aria-hidden />}>
          <Group gap={4}>
            <Text>
              {bot.status === 'paused'
                ? 'This bot is paused. Visitors can’t see it, and it doesn’t answer.'
                : 'This bot is archived. It doesn’t answer, and its draft can’t be edited.'}
            </Text>
            <TextLink to={`${home}/settings`}>Go to settings</TextLink>
          </Group>
        </Alert>
      )}
      <Outlet key={bot.id} context={{ setUnsaved }} />
    </Page>
  );
}

function LiveText({ data: { bot, environments, numbers, newest } }: { data: BotData }) {
  const live = environments.flatMap(({ id, name }) => {
    const versionId = bot.deployments[id];
    return versionId ? [`v${numbers[versionId]} ${name}`] : [];
  });
  if (live.length > 0) return `${bot.status === 'active' ? '' : 'Deployed: '}${live.join(', ')}`;
  return newest ? 'Published but not deployed. Deploy a version under Versions.' : 'Not published yet.';
}
