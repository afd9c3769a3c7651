import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { portalContext } from '@parley/portal-kit/context';
import { Section } from '@parley/portal-kit/ui';
import { IconSearch } from '@tabler/icons-react';
import { useRef, type FormEvent } from 'react';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { Invitations, InviteButton } from './parts/invitations.tsx';
import { MemberTable } from './parts/member-table.tsx';
import { readIfAllowed } from './parts/read-if-allowed.ts';
import { NoPermission } from './parts/no-permission.tsx';
import { RoleMatrix } from './parts/role-matrix.tsx';
import { ActiveImpersonations } from './parts/impersonations.tsx';

export const meta = () => [{ title: 'Members · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const q = searchParams.get('q')?.trim().slice(0, 120);
  const cursor = searchParams.get('cursor');
  const isAll = searchParams.get('invitations') === 'all';
  const [members, invitations, impersonations] = await Promise.all([
    service.GET('/members', { params: { query: { limit: 25, ...(q && { q }), ...(cursor && { cursor }) } } }),
    service.GET('/invitations', { params: { query: { limit: 100, status: isAll ? 'all' : 'open' } } }),
    service.GET('/impersonations'),
  ]);
  return {
    q: q ?? '',
    isAll,
    members: readIfAllowed(members, request),
    invitations: readIfAllowed(invitations, request),
    impersonations: impersonations.data?.data ?? [],
  };
}

export default function Members() {
  const { members, invitations, impersonations, isAll, q } = useLoaderData<typeof loader>();
  const me = useMe();
  const [isInviting, inviting] = useDisclosure();
  const open = invitations?.data.filter(({ status }) => status === 'open').length ?? 0;
  return (
    <Stack gap="lg">
      <ActiveImpersonations impersonations={impersonations} />
      {members ? (
        <Section
          title="Members"
          description="Everyone with access to this organisation. Role changes take effect within 5 seconds."
          actions={invitations && <InviteButton onClick={inviting.open} />}
        >
          <Search q={q} />
          <MemberTable members={members.data} nextCursor={members.nextCursor} q={q} />
        </Section>
      ) : (
        <NoPermission title="Members" subject="members and invitations" permission="member.view" />
      )}
      {invitations && (
        <Invitations
          list={invitations.data}
          hasMore={invitations.nextCursor !== null}
          isAll={isAll}
          isFull={members !== null && !q && members.data.length + open >= me.entitlements['members.max']}
          isInviting={isInviting}
          onClose={inviting.close}
        />
      )}
      <RoleMatrix />
    </Stack>
  );
}

function Search({ q }: { q: string }) {
  const [search, setSearch] = useSearchParams();
  const box = useRef<HTMLInputElement>(null);
  const searchMembers = (query: string) => {
    const next = new URLSearchParams(search);
    next.delete('cursor');
    if (query) next.set('q', query);
    else next.delete('q');
    setSearch(next, { preventScrollReset: true });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    searchMembers(box.current?.value.trim() ?? '');
  };
  return (
    <form onSubmit={send} role="search">
      <Group gap="xs" align="flex-end">
        <TextInput
          key={q}
          ref={box}
          name="q"
          label="Search members"
          description="Matches the start of a name or email address."
          defaultValue={q}
          maxLength={120}
          leftSection={<IconSearch size={16} aria-hidden />}
          w={280}
          maw="100%"
        />
        <Button type="submit" variant="default">
          Search
        </Button>
        {q && (
          <Button variant="subtle" onClick={() => searchMembers('')}>
            Clear search
          </Button>
        )}
      </Group>
    </form>
  );
}
