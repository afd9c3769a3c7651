import { Button, Group, SegmentedControl, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Avatar,
  Empty,
  field,
  Page,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconSearch } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { CreateOperator } from './create-operator.tsx';
import { isPool, roleLabels } from './labels.ts';

export const meta = () => [{ title: 'Users · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const poolParam = searchParams.get('pool');
  const pool = isPool(poolParam) ? poolParam : 'customer';
  const [email, cursor] = [searchParams.get('email')?.trim().slice(0, 254) ?? '', searchParams.get('cursor')];
  const query = { pool, limit: 25, ...(email && { email }), ...(cursor && { cursor }) };
  return { pool, email, ...read(await service.GET('/admin/users', { params: { query } }), request) };
}

export default function Users() {
  const { pool, email, data, nextCursor } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const reason = denialReason(useMe(), 'platform.user.manage');
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const query = field(event.currentTarget, 'email').trim();
    setSearch({ pool, ...(query && { email: query }) });
  };
  return (
    <Page
      title="Users"
      description="Tenant members and platform admins."
      actions={
        <WithReason reason={reason}>
          <Button disabled={!!reason} onClick={() => setCreating(true)}>
            Add platform admin
          </Button>
        </WithReason>
      }
    >
      <Section>
        <Group justify="space-between" align="flex-end" gap="sm">
          <SegmentedControl
            aria-label="User type"
            value={pool}
            onChange={(value) => setSearch({ pool: value, ...(email && { email }) })}
            data={[
              { value: 'customer', label: 'Tenant members' },
              { value: 'admin', label: 'Platform admins' },
            ]}
          />
          <form onSubmit={search} role="search" key={pool + email}>
            <Group gap="xs" align="flex-end">
              <TextInput
                name="email"
                type="search"
                label="Email (exact match)"
                defaultValue={email}
                w={{ base: '100%', xs: 280 }}
                leftSection={<IconSearch size={16} aria-hidden />}
              />
              <Button type="submit" variant="default">
                Search
              </Button>
            </Group>
          </form>
        </Group>
        {data.length === 0 ? (
          <Empty title="No users found" drawing="people">
            {email
              ? `No ${pool === 'admin' ? 'platform admin' : 'tenant member'} has the email ${email}. Check the spelling or switch to ${pool === 'admin' ? 'tenant members' : 'platform admins'}.`
              : 'There are no users yet.'}
          </Empty>
        ) : (
          <Rows
            label="Users table"
            columns={[
              'Name',
              ...(pool === 'admin' ? ['Roles'] : []),
              'Status',
              'Two-factor',
              { label: 'Created', align: 'right' },
            ]}
            minWidth={760}
          >
            {data.map((person) => (
              <Table.Tr key={person.userId}>
                <Table.Td>
                  <Group gap="sm" wrap="nowrap">
                    <Avatar name={person.name || person.email} id={person.userId} />
                    <div>
                      <RowLink to={`/users/${pool}/${person.userId}`}>{person.name || 'No name'}</RowLink>
                      <Text size="xs" c="dimmed">
                        {person.email}
                      </Text>
                    </div>
                  </Group>
                </Table.Td>
                {pool === 'admin' && (
                  <Table.Td>{person.roles.map((role) => roleLabels[role].label).join(', ')}</Table.Td>
                )}
                <Table.Td>
                  {person.isDisabled ? <Status tone="bad">Disabled</Status> : <Status tone="good">Active</Status>}
                </Table.Td>
                <Table.Td>{person.mfaEnabled ? 'On' : 'Off'}</Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  <Ago at={person.createdAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      <CreateOperator isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}
