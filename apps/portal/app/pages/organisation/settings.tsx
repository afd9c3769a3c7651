import { Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  Copy,
  Facts,
  field,
  Rows,
  SaveBar,
  Section,
  TextLink,
  useAction,
  useDirtyForm,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Deleted, DeleteOrganisation } from './parts/delete-organisation.tsx';
import { Security } from './parts/security.tsx';
import { SupportAccess } from './parts/support-access.tsx';

export const meta = () => [{ title: 'Organisation settings · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const [tenant, bots, support, policies] = await Promise.all([
    service.GET('/tenant'),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
    service.GET('/support-access'),
    service.GET('/tenant/policies'),
  ]);
  const activeBots = read(bots, request).data.filter(({ status }) => status !== 'archived');
  return {
    tenant: read(tenant, request).tenant,
    support: support.data ?? null, // owners and admins only, like the policies
    policies: policies.data ?? null,
    bots: activeBots.map(({ id, name, retentionDays }) => ({ id, name, retentionDays })),
  };
}

export default function Settings() {
  const { tenant, bots, support, policies } = useLoaderData<typeof loader>();
  const [erasedAfter, setErasedAfter] = useState<string>();
  if (erasedAfter) return <Deleted name={tenant.name} erasedAfter={erasedAfter} />;
  return (
    <Stack gap="lg">
      <NameOfOrganisation name={tenant.name} />
      <Section title="Details" description="For the API, and when you contact support.">
        <Facts
          isGrid
          facts={[
            [
              'Organisation ID',
              <Group key="id" gap="xs">
                <Text ff="monospace">{tenant.id}</Text>
                <Copy text={tenant.id} label="Copy ID" />
              </Group>,
            ],
            ['API version', tenant.apiVersion],
            ['Created', <Ago key="created" at={tenant.createdAt} />],
          ]}
        />
        <Text c="dimmed">
          Workspace and environment IDs are listed under <TextLink to="/organisation/workspaces">Workspaces</TextLink>.
        </Text>
      </Section>
      <Section
        title="Conversation retention"
        description="Each bot has its own retention period. Conversations are permanently deleted that long after their last message."
      >
        {bots.length === 0 ? (
          <Text>No bots yet. Once you create one, you can set its retention period here.</Text>
        ) : (
          <Rows label="Conversation retention table" columns={['Bot', 'Retention period', 'Actions']}>
            {bots.map(({ id, name, retentionDays }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{retentionDays === 1 ? '1 day' : `${retentionDays} days`}</Table.Td>
                <Table.Td>
                  <TextLink to={`/bots/${id}/settings`}>{`${name} settings`}</TextLink>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Section>
      {policies && <Security {...policies} />}
      {support && <SupportAccess access={support} />}
      <DeleteOrganisation name={tenant.name} onDeleted={setErasedAfter} />
    </Stack>
  );
}

function NameOfOrganisation({ name }: { name: string }) {
  const me = useMe();
  const reason = denialReason(me, 'tenant.manage');
  const form = useDirtyForm();
  const rename = useAction((newName: string) => call(api.PATCH('/tenant', { body: { name: newName } })), {
    success: 'Saved.',
  });
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const markSaved = form.startSave();
    if (await rename.run(field(event.currentTarget, 'name').trim())) markSaved();
  };
  return (
    <Section title="General">
      <form key={form.formKey} onSubmit={(event) => void save(event)} onChange={form.onChange}>
        <Stack gap="sm">
          <TextInput
            key={name}
            name="name"
            label="Organisation name"
            description={reason ?? 'Members see it in the portal and in emails.'}
            defaultValue={name}
            maxLength={120}
            required
            disabled={reason !== undefined}
            w={320}
            maw="100%"
          />
          <SaveBar
            isDirty={form.isDirty}
            onDiscard={() => {
              rename.clear();
              form.discard();
            }}
            isSaving={rename.isRunning}
            problem={rename.problem}
            saveLabel="Save name"
          />
        </Stack>
      </form>
    </Section>
  );
}
