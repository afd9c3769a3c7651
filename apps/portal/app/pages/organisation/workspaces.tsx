import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, api, call, Empty, Id, Pager, Rows, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { NameForm, type NameTarget } from './parts/name-form.tsx';

export const meta = () => [{ title: 'Workspaces · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const environmentsOf = (workspaceId?: string) =>
    service
      .GET('/environments', { params: { query: { limit: 100, ...(workspaceId && { workspaceId }) } } })
      .then((response) => read(response, request));
  const [workspaces, first] = await Promise.all([
    service.GET('/workspaces', { params: { query: { limit: 25, ...(cursor && { cursor }) } } }),
    environmentsOf(),
  ]);
  const { data, nextCursor } = read(workspaces, request);
  // Usually one response holds all environments. Otherwise, read them per workspace.
  const environments =
    first.nextCursor === null
      ? first.data
      : (await Promise.all(data.map(({ id }) => environmentsOf(id)))).flatMap((page) => page.data);
  return {
    nextCursor,
    workspaces: data.map((workspace) => ({
      ...workspace,
      environments: environments.filter(({ workspaceId }) => workspaceId === workspace.id),
    })),
  };
}

export default function Workspaces() {
  const { workspaces, nextCursor } = useLoaderData<typeof loader>();
  const me = useMe();
  const [target, setTarget] = useState<NameTarget>();
  const reason = denialReason(me, 'tenant.manage');
  const save = useAction((name: string): Promise<unknown> => {
    if (!target) return Promise.resolve();
    const { kind, id, workspaceId } = target;
    if (kind === 'workspace')
      return id
        ? call(api.PATCH('/workspaces/{id}', { params: { path: { id } }, body: { name } }))
        : call(api.POST('/workspaces', { body: { name } }));
    return id
      ? call(api.PATCH('/environments/{id}', { params: { path: { id } }, body: { name } }))
      : call(api.POST('/environments', { body: { name, workspaceId: workspaceId ?? '' } }));
  });
  const start = (next: NameTarget) => {
    save.clear();
    setTarget(next);
  };
  const create = (
    <WithReason reason={reason}>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        disabled={reason !== undefined}
        onClick={() => start({ kind: 'workspace' })}
      >
        Create workspace
      </Button>
    </WithReason>
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" maw={640}>
          A workspace groups the bots of one team or product. Each of its environments, such as live or test, runs its
          own version of every bot and has its own keys.
        </Text>
        {create}
      </Group>
      {workspaces.map(({ id, name, createdAt, environments }) => (
        <Section
          key={id}
          title={name}
          actions={
            <Group gap="xs">
              <WithReason reason={reason}>
                <Button
                  size="xs"
                  variant="default"
                  disabled={reason !== undefined}
                  aria-label={`Rename workspace ${name}`}
                  onClick={() => start({ kind: 'workspace', id, name })}
                >
                  Rename
                </Button>
              </WithReason>
              <WithReason reason={reason}>
                <Button
                  size="xs"
                  variant="default"
                  disabled={reason !== undefined}
                  aria-label={`Create environment in ${name}`}
                  onClick={() => start({ kind: 'environment', workspaceId: id })}
                >
                  Create environment
                </Button>
              </WithReason>
            </Group>
          }
        >
          <Group gap="xs">
            <Id id={id} />
            <Text c="dimmed" component="span">
              Created <Ago at={createdAt} />
            </Text>
          </Group>
          {environments.length === 0 ? (
            <Text>No environments yet. Create one to deploy the bots in this workspace.</Text>
          ) : (
            <Rows
              label={`Environments in ${name}`}
              columns={['Environment', 'ID', { label: 'Created', align: 'right' }, 'Actions']}
              hasActions
            >
              {environments.map((environment) => (
                <Table.Tr key={environment.id}>
                  <Table.Td>{environment.name}</Table.Td>
                  <Table.Td>
                    <Id id={environment.id} />
                  </Table.Td>
                  <Table.Td>
                    <Ago at={environment.createdAt} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <WithReason reason={reason}>
                      <Button
                        size="compact-sm"
                        variant="default"
                        disabled={reason !== undefined}
                        aria-label={`Rename environment ${environment.name}`}
                        onClick={() => start({ kind: 'environment', id: environment.id, name: environment.name })}
                      >
                        Rename
                      </Button>
                    </WithReason>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Rows>
          )}
        </Section>
      ))}
      {workspaces.length === 0 && (
        <Empty title="No workspaces yet" drawing="list" action={create}>
          Create one for your first team or product. Every bot belongs to a workspace.
        </Empty>
      )}
      <Pager nextCursor={nextCursor} />
      <NameForm target={target} save={save} onClose={() => setTarget(undefined)} />
    </Stack>
  );
}
