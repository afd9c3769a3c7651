import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, Id, Pager, Section, Status, toast, WithReason } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useLayoutData } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Compare } from './compare.tsx';
import { Deploy } from './deploy.tsx';
import { liveOf, useBot, type VersionHead } from './bot-data.ts';

export const meta = () => [{ title: 'Versions · Parley' }];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor') ?? undefined;
  const id = params['botId'] ?? '';
  const [versions, members, sources, models] = await Promise.all([
    service.GET('/bots/{id}/versions', {
      params: { path: { id }, query: { limit: 25, ...(cursor && { cursor }) } },
    }),
    // Names for display. Members without access to one of these lists see IDs.
    service.GET('/members', { params: { query: { limit: 100 } } }),
    service.GET('/bots/{botId}/knowledge-sources', { params: { path: { botId: id }, query: { limit: 100 } } }),
    service.GET('/models', { params: { query: { limit: 100 } } }),
  ]);
  const { data, nextCursor } = read(versions, request);
  return {
    versions: data,
    nextCursor,
    names: Object.fromEntries([
      ...(members.data?.data ?? []).map((one) => [one.userId, one.name || one.email]),
      ...(sources.data?.data ?? []).map((one) => [one.id, one.name]),
      ...(models.data?.data ?? []).map((one) => [one.id, one.name]),
    ]) as Record<string, string>,
  };
}

export default function Versions() {
  const { versions, nextCursor, names } = useLoaderData<typeof loader>();
  const { environments, bot } = useBot();
  const [comparing, setComparing] = useState<string>();
  const [deploying, setDeploying] = useState<VersionHead>();
  const { me } = useLayoutData();
  const reason =
    denialReason(me, 'bot.manage') ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  const creatorName = (id: string) => (id === me.userId ? 'you' : names[id]);
  const live = liveOf(environments);
  const liveVersion = versions.find((one) => live && bot.deployments[live.id] === one.id);
  const deployLabel = ({ number }: VersionHead) =>
    (liveVersion?.number ?? 0) > (number ?? 0) ? 'Roll back' : 'Deploy';
  return (
    <Section
      title="Versions"
      description="A version is a snapshot of your draft. It never changes; you choose which version runs in each environment."
    >
      {versions.length === 0 ? (
        <Empty title="No versions yet" drawing="list">
          Publish your draft with the button above to create version 1 and start answering visitors.
        </Empty>
      ) : (
        <ol className="timeline" reversed>
          {versions.map((version, at) => {
            const deployedTo = environments.filter(({ id }) => bot.deployments[id] === version.id);
            const isCompared = comparing === version.id;
            return (
              <li key={version.id} {...(deployedTo.length > 0 && { 'data-live': true })}>
                <Stack gap={4}>
                  <Group justify="space-between" gap="xs">
                    <Group gap="xs">
                      <Text fw={600}>Version {version.number}</Text>
                      {deployedTo.map(({ id, name }) => (
                        <Status key={id} tone="good">
                          Deployed to {name}
                        </Status>
                      ))}
                      {at === 0 && versions.length > 1 && deployedTo.length === 0 && <Badge color="gray">Latest</Badge>}
                    </Group>
                    <Group gap="xs">
                      <Button
                        size="xs"
                        variant="default"
                        aria-expanded={isCompared}
                        aria-label={`${isCompared ? 'Hide' : 'Show'} changes in version ${version.number}`}
                        onClick={() => setComparing(isCompared ? undefined : version.id)}
                      >
                        {isCompared ? 'Hide changes' : 'Show changes'}
                      </Button>
                      <WithReason reason={reason}>
                        <Button
                          size="xs"
                          variant="default"
                          disabled={reason !== undefined}
                          aria-label={`${deployLabel(version)}… version ${version.number}`}
                          onClick={() => setDeploying(version)}
                        >
                          {deployLabel(version)}…
                        </Button>
                      </WithReason>
                    </Group>
                  </Group>
                  <Text size="sm" c="dimmed" component="div">
                    Published <Ago at={version.createdAt} /> by {creatorName(version.createdBy) ?? version.createdBy} ·{' '}
                    <Id id={version.id} />
                  </Text>
                  {version.notes && <Text className="chunk">{version.notes}</Text>}
                  {isCompared && (
                    <Compare
                      version={version}
                      before={versions[at + 1]}
                      live={liveVersion?.id === version.id ? undefined : liveVersion}
                      names={names}
                    />
                  )}
                </Stack>
              </li>
            );
          })}
        </ol>
      )}
      <Pager nextCursor={nextCursor} />
      <Deploy version={deploying} onClose={() => setDeploying(undefined)} onDone={(message) => toast({ message })} />
    </Section>
  );
}
