import { Anchor, Group, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Avatar, Copy, DetailColumns, Facts, Pager, RowLink, Rows, Section, Status } from '@parley/portal-kit/ui';
import { Link, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { OwnerInvitation } from './parts/owner-invitation.tsx';
import { useTenant } from './tenant.tsx';
import { planLabel } from './labels.ts';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const path = { id: params['tenantId'] ?? '' };
  const query = { limit: 25, ...(cursor && { cursor }) };
  return read(await service.GET('/admin/tenants/{id}/members', { params: { path, query } }), request);
}

export default function Overview() {
  const { data, nextCursor } = useLoaderData<typeof loader>();
  const { tenant, overview } = useTenant();
  const { owners, members, bots, lastActivityAt } = overview;
  return (
    <DetailColumns
      facts={
        <Section title="Overview">
          <Facts
            facts={[
              ['Owner', owners.length === 0 ? 'No owner yet' : <Owners key="owners" owners={owners} />],
              ['Members', String(members)],
              ['Bots', String(bots)],
              ['Plan', planLabel(tenant.plan)],
              ['Last activity', <Ago key="activity" at={lastActivityAt} />],
              ['Created', <Ago key="created" at={tenant.createdAt} />],
              ['API version', tenant.apiVersion],
              [
                'Tenant ID',
                <span key="id">
                  {tenant.id} <Copy text={tenant.id} label="Copy ID" />
                </span>,
              ],
            ]}
          />
        </Section>
      }
    >
      <OwnerInvitation />
      <Section title="Members">
        {data.length === 0 ? (
          <Text c="dimmed">No members yet. The owner joins first and invites everyone else.</Text>
        ) : (
          <Members members={data} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
    </DetailColumns>
  );
}

const Owners = ({ owners }: { owners: Schemas['InspectedTenant']['overview']['owners'] }) => (
  <>
    {owners.map(({ userId, email, isDisabled }) => (
      <div key={userId}>
        <Person userId={userId}>{email}</Person>
        {isDisabled && ' (disabled)'}
      </div>
    ))}
  </>
);

const Person = ({ userId, children }: { userId: string; children: string }) => (
  <Anchor component={Link} to={`/users/customer/${userId}`}>
    {children}
  </Anchor>
);

const Members = ({ members }: { members: Schemas['TenantMember'][] }) => (
  <Rows label="Members table" columns={['Name', 'Roles', 'Status', { label: 'Last active', align: 'right' }]}>
    {members.map(({ userId, email, name, roles, lastSeenAt, isDisabled }) => (
      <Table.Tr key={userId}>
        <Table.Td style={{ overflowWrap: 'anywhere' }}>
          <Group gap="sm" wrap="nowrap">
            <Avatar name={name || email} id={userId} />
            <div>
              <RowLink to={`/users/customer/${userId}`}>{name || email}</RowLink>
              <Text size="xs" c="dimmed">
                {email}
              </Text>
            </div>
          </Group>
        </Table.Td>
        <Table.Td>{roles.join(', ')}</Table.Td>
        <Table.Td>{isDisabled ? <Status tone="bad">Disabled</Status> : <Status tone="good">Active</Status>}</Table.Td>
        <Table.Td>
          <Ago at={lastSeenAt} fallback="not recently" />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);
