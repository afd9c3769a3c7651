import { ActionIcon, Code, Group, Menu, Table, Text, Tooltip } from '@mantine/core';
import { Ago, api, call, ConfirmByName, Id, ProblemText, Status, useAction } from '@parley/portal-kit/ui';
import { IconDots, IconEye, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Countdown } from './countdown.tsx';
import type { Choices } from './key-create.tsx';
import { RenameKey, RotateKey } from './key-change.tsx';
import type { RevealedKey } from './key-secret.tsx';
import { permissionLabels, typeLabels, type ApiKey } from './key-labels.ts';

interface Props extends Choices {
  apiKey: ApiKey & { previousExpiresAt: string | null };
  people: Record<string, string>;
  reason: string | undefined;
  onSecret(revealed: RevealedKey): void;
}

export function KeyRow({ apiKey, bots, environments, people, reason, onSecret }: Props) {
  const { id, name, keyType, hint, permissions, boundBotId, environmentId, createdBy } = apiKey;
  const [open, setOpen] = useState<'rotate' | 'revoke' | 'rename'>();
  const close = () => setOpen(undefined);
  const path = { params: { path: { id } } };
  const revoke = useAction(() => call(api.POST('/api-keys/{id}/revoke', path)), { success: 'Key revoked.' });
  const reveal = useAction(() => call(api.POST('/api-keys/{id}/reveal', path)), { isQuiet: true });
  const bot = bots.find((one) => one.id === boundBotId);
  const environment = environments.find((one) => one.id === environmentId);
  const isRevoked = apiKey.status === 'revoked';
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600}>{name}</Text>
        <Group gap={4}>
          <Code>{hint}</Code>
          <Id id={id} />
        </Group>
        <ProblemText problem={reveal.problem} />
      </Table.Td>
      <Table.Td>{typeLabels[keyType]}</Table.Td>
      <Table.Td>
        <KeyStatus apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        <Permissions apiKey={apiKey} permissions={permissions} />
      </Table.Td>
      <Table.Td>
        {boundBotId && <div>{bot?.name ?? <Id id={boundBotId} />}</div>}
        {environmentId ? (environment?.name ?? <Id id={environmentId} />) : 'All environments'}
      </Table.Td>
      <Table.Td>
        <Ago at={apiKey.lastUsedAt} />
      </Table.Td>
      <Table.Td>
        <Ago at={apiKey.expiresAt} />
      </Table.Td>
      <Table.Td>
        <Ago at={apiKey.createdAt} />
        <Text component="div" size="xs" c="dimmed">
          by {people[createdBy] ?? (createdBy.includes('_') ? <Id id={createdBy} /> : createdBy)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`} disabled={isRevoked}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {reason && (
              <Text size="sm" p="xs" maw={260}>
                {reason}
              </Text>
            )}
            <Menu.Item
              disabled={!!reason}
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setOpen('rename')}
            >
              Rename
            </Menu.Item>
            {keyType === 'public_widget' && (
              <Menu.Item
                disabled={!!reason}
                leftSection={<IconEye size={16} aria-hidden />}
                onClick={() => void reveal.run().then((done) => done && onSecret({ apiKey, secret: done.secret }))}
              >
                Show key
              </Menu.Item>
            )}
            <Menu.Item
              disabled={!!reason}
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => setOpen('rotate')}
            >
              Rotate
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              disabled={!!reason}
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setOpen('revoke')}
            >
              Revoke
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <RotateKey apiKey={apiKey} isOpen={open === 'rotate'} onClose={close} onRotated={onSecret} />
        <RenameKey apiKey={apiKey} isOpen={open === 'rename'} onClose={close} />
        <ConfirmByName
          isOpen={open === 'revoke'}
          title={`Revoke “${name}”`}
          name={name}
          confirmLabel="Revoke key"
          isRunning={revoke.isRunning}
          problem={revoke.problem}
          onConfirm={() => void revoke.run().then((done) => done && close())}
          onClose={close}
        >
          Requests with this key are rejected within five seconds, and sessions it created end. You can’t undo this. To
          replace the secret without downtime, rotate the key instead.
        </ConfirmByName>
      </Table.Td>
    </Table.Tr>
  );
}

function KeyStatus({ apiKey: { status, previousExpiresAt } }: { apiKey: Props['apiKey'] }) {
  if (status === 'active') return <Status tone="good">Active</Status>;
  if (status === 'expired') return <Status tone="bad">Expired</Status>;
  if (status === 'revoked') return <Status tone="idle">Revoked</Status>;
  return (
    <>
      <Status tone="warn">Rotating</Status>
      <Text size="xs" c="dimmed">
        {previousExpiresAt ? (
          <>
            Old secret expires <Countdown until={previousExpiresAt} />
          </>
        ) : (
          'Old secret still works'
        )}
      </Text>
    </>
  );
}

function Permissions({ apiKey, permissions }: { apiKey: ApiKey; permissions: ApiKey['permissions'] }) {
  if (apiKey.keyType === 'public_widget') return <>Open chats</>;
  if (permissions.length === 0) return <>No permissions</>;
  const labels = permissions.map((permission) => permissionLabels[permission]);
  if (labels.length <= 2) return <>{labels.join(', ')}</>;
  return (
    <Tooltip label={labels.join(', ')} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Text component="span" tabIndex={0} style={{ textDecoration: 'underline dotted' }}>
        {labels.length} permissions
      </Text>
    </Tooltip>
  );
}
