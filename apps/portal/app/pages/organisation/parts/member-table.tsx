import { Badge, Group, Menu, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Avatar, Empty, Id, Pager, RowMenu, Rows, Status } from '@parley/portal-kit/ui';
import { IconCrown, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMe } from '../../../parts/me.ts';
import { hasPermission, denialReason } from '../../../parts/rights.ts';
import { TransferOwnership, RemoveMember } from './member-actions.tsx';
import { RoleEditor } from './role-editor.tsx';
import { sortRoles, roleDenialReason } from './roles.ts';

type Member = Schemas['Member'];
interface Props {
  members: Member[];
  nextCursor: string | null;
  q: string;
}

export function MemberTable({ members, nextCursor, q }: Props) {
  const me = useMe();
  const [removing, setRemoving] = useState<Member>();
  const [newOwner, setNewOwner] = useState<Member>();
  if (members.length === 0)
    return (
      <Empty title={q ? `No members match “${q}”` : 'No more members'} drawing="people">
        {q
          ? 'Search matches the start of a name or email address. Check the spelling or clear the search.'
          : 'There are no members on this page. Go back to the previous one.'}
      </Empty>
    );
  return (
    <>
      <Rows
        label="Members table"
        columns={['Name', 'Roles', 'ID', { label: 'Joined', align: 'right' }, 'Actions']}
        minWidth={760}
        hasActions
      >
        {members.map((member) => {
          const isMe = member.userId === me.userId;
          const reason = denialReason(me, 'member.manage') ?? roleDenialReason(me, member.roles);
          return (
            <Table.Tr key={member.userId}>
              <Table.Td>
                <Group gap="sm" wrap="nowrap">
                  <Avatar name={member.name || member.email} id={member.userId} size={32} />
                  <div>
                    <Group gap={6}>
                      <Text fw={600}>{member.name}</Text>
                      {isMe && <Badge color="teal">You</Badge>}
                      {member.isDisabled && <Status tone="bad">Disabled</Status>}
                    </Group>
                    <Text size="sm" c="dimmed">
                      {member.email}
                    </Text>
                  </div>
                </Group>
              </Table.Td>
              <Table.Td>
                <Group gap={4}>
                  {sortRoles(member.roles).map(({ role, name, description }) => (
                    <Badge key={role} color="gray" title={description}>
                      {name}
                    </Badge>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>
                <Id id={member.userId} />
              </Table.Td>
              <Table.Td>
                <Ago at={member.createdAt} />
              </Table.Td>
              <Table.Td>
                <Group gap={6} justify="flex-end" wrap="nowrap">
                  <RoleEditor member={member} reason={reason} />
                  <RowMenu label={member.name || member.email}>
                    {hasPermission(me, 'ownership.transfer') && !isMe && !member.isDisabled && (
                      <Menu.Item
                        leftSection={<IconCrown size={16} aria-hidden />}
                        onClick={() => setNewOwner(member)}
                        aria-label={`Transfer ownership to ${member.name}`}
                      >
                        Transfer ownership
                      </Menu.Item>
                    )}
                    {reason && (
                      <Text size="sm" p="xs" maw={260}>
                        {reason}
                      </Text>
                    )}
                    <Menu.Item
                      color="red"
                      leftSection={<IconUserMinus size={16} aria-hidden />}
                      disabled={reason !== undefined}
                      aria-label={isMe ? 'Leave organisation' : `Remove ${member.name}`}
                      onClick={() => setRemoving(member)}
                    >
                      {isMe ? 'Leave' : 'Remove'}
                    </Menu.Item>
                  </RowMenu>
                </Group>
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Rows>
      <Pager nextCursor={nextCursor} />
      {!hasPermission(me, 'ownership.transfer') && (
        <Text size="sm" c="dimmed">
          Only owners can transfer ownership.
        </Text>
      )}
      <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />
      <TransferOwnership member={newOwner} onClose={() => setNewOwner(undefined)} />
    </>
  );
}
