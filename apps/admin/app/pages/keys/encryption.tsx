import { Alert, Button, Code, List, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Rows, Section, Status } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { StartRotation } from './start-rotation.tsx';
import { Running } from './rotation.tsx';
import { pluralize, describeRotation, type MasterKey, type Rotation } from './labels.ts';

interface Keys {
  masterKeys: MasterKey[];
  processes: Schemas['KeyProcess'][] | null;
  running: Rotation | null;
}

/** The master keys that encrypt tenant secrets, the next step, and the progress of a rotation. */
export function Encryption({ keys, last, now }: { keys: Keys; last: Rotation | undefined; now: number }) {
  const { masterKeys, processes, running } = keys;
  const reason = denialReason(useMe(), 'platform.system.manage');
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Encryption"
      description="Each tenant’s secrets are encrypted with its own data key. Data keys and platform secrets are encrypted with a master key from MASTER_KEYS."
      actions={
        !running && (
          <Button size="xs" disabled={!!reason} onClick={() => setOpen(true)}>
            Rotate encryption keys
          </Button>
        )
      }
    >
      {reason && !running && <Text c="dimmed">{reason}</Text>}
      {running ? (
        <Running rotation={running} now={now} />
      ) : (
        <>
          {last && (
            <Text role="status" fw={500}>
              {describeRotation(last, now)}
            </Text>
          )}
          <Advice masterKeys={masterKeys} processes={processes} />
        </>
      )}
      <Rows
        label="Master keys"
        columns={[
          'Master key',
          'Status',
          { label: 'Data keys', align: 'right' },
          { label: 'Platform secrets', align: 'right' },
        ]}
        minWidth={620}
      >
        {masterKeys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td>
              <Code>{key.id}</Code>
            </Table.Td>
            <Table.Td miw={190}>
              <State masterKey={key} />
            </Table.Td>
            <Table.Td>{key.dataKeys.toLocaleString('en-GB')}</Table.Td>
            <Table.Td>{key.platformSecrets.toLocaleString('en-GB')}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <Steps />
      {isOpen && (
        <StartRotation onClose={() => setOpen(false)} masterKey={masterKeys.find((key) => key.isCurrent)?.id ?? ''} />
      )}
    </Section>
  );
}

function State({ masterKey: { isCurrent, isKnownHere, isRemovable } }: { masterKey: MasterKey }) {
  if (isCurrent) return <Status tone="good">Current</Status>;
  if (!isKnownHere) return <Status tone="bad">Not in MASTER_KEYS</Status>;
  return isRemovable ? <Status tone="idle">Safe to remove</Status> : <Status tone="warn">Still in use</Status>;
}

/** The next step, if there is one. */
function Advice({ masterKeys, processes }: Pick<Keys, 'masterKeys' | 'processes'>) {
  const notReady = (processes ?? []).filter(({ isReady }) => !isReady);
  const current = masterKeys.find(({ isCurrent }) => isCurrent)?.id ?? '';
  const removable = masterKeys.filter(({ isRemovable }) => isRemovable).map(({ id }) => id);
  const needed = masterKeys.filter((key) => !key.isCurrent && key.dataKeys + key.platformSecrets > 0);
  const unknown = needed.filter(({ isKnownHere }) => !isKnownHere);
  if (unknown.length > 0)
    return (
      <Alert color="red" variant="light" title={`'${unknown[0]?.id}' is missing from MASTER_KEYS`}>
        Some secrets are still encrypted with it and can’t be decrypted. Add it back after the current key, then
        restart.
      </Alert>
    );
  if (notReady.length > 0)
    return (
      <Alert color="orange" variant="light" title={`Some processes aren’t using '${current}'`}>
        {`Before you rotate, restart these with '${current}' first in MASTER_KEYS: `}
        {notReady.map(({ role, host, pid }) => `${role} ${host}/${pid}`).join(', ')}.
      </Alert>
    );
  if (processes === null)
    return (
      <Alert color="orange" variant="light" title="Can’t check running processes">
        Valkey isn’t responding. A rotation can start only once every process is confirmed to have the current key.
      </Alert>
    );
  if (needed.length > 0)
    return (
      <Alert color="teal" variant="light" title="Rotation needed">
        {`${needed.map(({ id }) => `'${id}'`).join(' and ')} still ${needed.length === 1 ? 'encrypts' : 'encrypt'} some secrets. Rotate to re-encrypt everything with '${current}'.`}
      </Alert>
    );
  if (removable.length > 0)
    return (
      <Alert
        color="teal"
        variant="light"
        title={`You can remove ${removable.map((id) => `'${id}'`).join(' and ')} from MASTER_KEYS`}
      >
        {`Nothing is encrypted with ${removable.length === 1 ? 'it' : 'them'} any more. Restart every process afterwards, then destroy the ${removable.length === 1 ? 'key' : 'keys'}.`}
      </Alert>
    );
  return (
    <Text c="dimmed">
      {`Everything is encrypted with '${current}'. ${pluralize(processes.length, 'process has', 'processes have')} loaded it.`}
    </Text>
  );
}

const Steps = () => (
  <Stack gap={4}>
    <Text fw={600}>Change the master key</Text>
    <List type="ordered" size="sm">
      <List.Item>
        Generate a 32-byte key and add it before the old one: <Code>MASTER_KEYS=2027:…,2026:…</Code>
      </List.Item>
      <List.Item>
        Restart every API and worker process. Existing secrets still work; new ones use the new key.
      </List.Item>
      <List.Item>Rotate the encryption keys here and wait until the rotation finishes.</List.Item>
      <List.Item>
        When the old key’s status is “Safe to remove”, remove it from MASTER_KEYS and restart again.
      </List.Item>
    </List>
  </Stack>
);
