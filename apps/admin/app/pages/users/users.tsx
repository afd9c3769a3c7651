import { Anchor, Button, Group, SegmentedControl, Table, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, field, Page, Pager, Rows, Section, Status, WithReason } from '@parley/portal-kit/ui';
import { IconSearch } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { CreateOperator } from './create-operator.tsx';
import { isPool, roleWords } from './words.ts';

export const meta = () => [{ title: 'Users · Parley operators' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const asked = searchParams.get('pool');
  const pool = isPool(asked) ? asked : 'customer';
  const [email, cursor] = [searchParams.get('email')?.trim().slice(0, 254) ?? '', searchParams.get('cursor')];
  const query = { pool, limit: 25, ...(email && { email }), ...(cursor && { cursor }) };
  return { pool, email, ...read(await service.GET('/admin/users', { params: { query } }), request) };
}

export default function Users() {
  const { pool, email, data, nextCursor } = useLoaderData<typeof loader>();
  const [, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const reason = whyNot(useMe(), 'platform.user.manage');
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = field(event.currentTarget, 'email').trim();
    setSearch({ pool, ...(wanted && { email: wanted }) });
  };
  return (
    <Page
      title="Users"
      about="People of tenants, and operators of this service."
      actions={
        <WithReason reason={reason}>
          <Button disabled={!!reason} onClick={() => setCreating(true)}>
            Make an operator
          </Button>
        </WithReason>
      }
    >
      <Section>
        <Group justify="space-between" align="flex-end" gap="sm">
          <SegmentedControl
            aria-label="Which people"
            value={pool}
            onChange={(value) => setSearch({ pool: value, ...(email && { email }) })}
            data={[
              { value: 'customer', label: 'People of tenants' },
              { value: 'admin', label: 'Operators' },
            ]}
          />
          <form onSubmit={find} role="search" key={pool + email}>
            <Group gap="xs" align="flex-end">
              <TextInput
                name="email"
                type="search"
                label="Whole e-mail address"
                defaultValue={email}
                w={{ base: '100%', xs: 280 }}
                leftSection={<IconSearch size={16} aria-hidden />}
              />
              <Button type="submit" variant="default">
                Find
              </Button>
            </Group>
          </form>
        </Group>
        {data.length === 0 ? (
          <Empty title="Nobody found">
            {email
              ? `Nobody of ${pool === 'admin' ? 'the operators' : 'the tenants'} has the address ${email}. Look among the others, or check its spelling.`
              : 'Nobody is here yet.'}
          </Empty>
        ) : (
          <Rows
            label="Table of people"
            heads={['Name', 'E-mail', ...(pool === 'admin' ? ['Roles'] : []), 'State', 'Second factor', 'Created']}
            minWidth={760}
          >
            {data.map((person) => (
              <Table.Tr key={person.userId}>
                <Table.Td>
                  <Anchor component={Link} to={`/users/${pool}/${person.userId}`}>
                    {person.name || 'Without a name'}
                  </Anchor>
                </Table.Td>
                <Table.Td>{person.email}</Table.Td>
                {pool === 'admin' && <Table.Td>{person.roles.map((role) => roleWords[role].word).join(', ')}</Table.Td>}
                <Table.Td>
                  {person.isDisabled ? <Status tone="bad">Disabled</Status> : <Status tone="good">Can sign in</Status>}
                </Table.Td>
                <Table.Td>{person.mfaEnabled ? 'Yes' : 'No'}</Table.Td>
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
