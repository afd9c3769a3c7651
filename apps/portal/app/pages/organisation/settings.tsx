import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  Copy,
  field,
  ProblemText,
  Rows,
  Section,
  TextLink,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
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
  const kept = read(bots, request).data.filter(({ status }) => status !== 'archived');
  return {
    tenant: read(tenant, request).tenant,
    support: support.data ?? null, // for owners and admins, as are the policies
    policies: policies.data ?? null,
    bots: kept.map(({ id, name, retentionDays }) => ({ id, name, retentionDays })),
  };
}

export default function Settings() {
  const { tenant, bots, support, policies } = useLoaderData<typeof loader>();
  const [erasedAfter, setErasedAfter] = useState<string>();
  if (erasedAfter) return <Deleted name={tenant.name} erasedAfter={erasedAfter} />;
  return (
    <Stack gap="lg">
      <NameOfOrganisation name={tenant.name} />
      <Section title="For developers" about="What our support or your code may ask for.">
        <Table variant="vertical" layout="fixed">
          <Table.Tbody>
            <Table.Tr>
              <Table.Th w={160}>Organisation id</Table.Th>
              <Table.Td>
                <Group gap="xs">
                  <Text ff="monospace" style={{ wordBreak: 'break-all' }}>
                    {tenant.id}
                  </Text>
                  <Copy text={tenant.id} label="Copy id" />
                </Group>
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th>API version</Table.Th>
              <Table.Td>
                <Text ff="monospace">{tenant.apiVersion}</Text>
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th>Made</Table.Th>
              <Table.Td>
                <Ago at={tenant.createdAt} />
              </Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
        <Text c="dimmed">
          Ids of workspaces and environments are under <TextLink to="/organisation/workspaces">Workspaces</TextLink>.
        </Text>
      </Section>
      <Section
        title="How long conversations are kept"
        about="Each bot has its own time. That long after its last message, a conversation is erased for good."
      >
        {bots.length === 0 ? (
          <Text>There is no bot yet, so nothing is kept.</Text>
        ) : (
          <Rows label="How long each bot keeps conversations" heads={['Bot', 'Keeps conversations', 'Change it']}>
            {bots.map(({ id, name, retentionDays }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{retentionDays === 1 ? '1 day' : `${retentionDays} days`}</Table.Td>
                <Table.Td>
                  <TextLink to={`/bots/${id}/settings`}>{`Settings of ${name}`}</TextLink>
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
  const reason = whyNot(me, 'tenant.manage');
  const [isSaved, setSaved] = useState(false);
  const rename = useAction((wanted: string) => call(api.PATCH('/tenant', { body: { name: wanted } })));
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    const wanted = field(event.currentTarget, 'name').trim();
    setSaved((await rename.run(wanted)) !== undefined);
  };
  return (
    <Section title="Name">
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="sm">
          <Group gap="xs" align="flex-end">
            <TextInput
              key={name}
              name="name"
              label="Name of the organisation"
              description="Members see it here and in letters."
              defaultValue={name}
              maxLength={120}
              required
              disabled={reason !== undefined}
              onChange={() => setSaved(false)}
              w={320}
              maw="100%"
            />
            <WithReason reason={reason}>
              <Button type="submit" disabled={reason !== undefined} loading={rename.isRunning}>
                Save name
              </Button>
            </WithReason>
          </Group>
          <ProblemText problem={rename.problem} />
          <Text role="status">{isSaved && 'The name is saved.'}</Text>
        </Stack>
      </form>
    </Section>
  );
}
