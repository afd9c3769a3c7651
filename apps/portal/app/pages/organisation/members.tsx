import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { portalContext } from '@parley/portal-kit/context';
import { LiveSearch, Section, useChangedSearch } from '@parley/portal-kit/ui';
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
          <Search />
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

function Search() {
  const [search, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  return (
    <LiveSearch
      query={search.get('q') ?? ''}
      onSearch={(q) => setSearch(changed({ q }), { replace: true, preventScrollReset: true })}
      label="Search members"
      description="Matches the start of a name or email address."
      maxLength={120}
      w={280}
      maw="100%"
    />
  );
}
