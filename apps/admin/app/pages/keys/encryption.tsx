import { Alert, Button, Code, List, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Rows, Section, Status } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { BeginRotation } from './begin.tsx';
import { Running } from './rotation.tsx';
import { counted, sentenceOf, type MasterKey, type Rotation } from './words.ts';

interface Keys {
  masterKeys: MasterKey[];
  processes: Schemas['KeyProcess'][] | null;
  running: Rotation | null;
}

/** What seals the secrets of tenants: which keys there are, what to do next, and how far it is. */
export function Encryption({ keys, last, now }: { keys: Keys; last: Rotation | undefined; now: number }) {
  const { masterKeys, processes, running } = keys;
  const reason = whyNot(useMe(), 'platform.system.manage');
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Encryption"
      about="Each tenant has a data key that seals its secrets. Master keys, which stand in MASTER_KEYS, seal the data keys and our own secrets."
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
              {sentenceOf(last, now)}
            </Text>
          )}
          <Advice masterKeys={masterKeys} processes={processes} />
        </>
      )}
      <Rows
        label="Master keys"
        heads={['Master key', 'State', 'Data keys sealed', 'Our secrets sealed']}
        minWidth={620}
      >
        {masterKeys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td>
              <Code>{key.id}</Code>
            </Table.Td>
            <Table.Td miw={190}>
              <State of={key} />
            </Table.Td>
            <Table.Td>{key.dataKeys.toLocaleString('en-GB')}</Table.Td>
            <Table.Td>{key.platformSecrets.toLocaleString('en-GB')}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <Steps />
      {isOpen && (
        <BeginRotation onClose={() => setOpen(false)} masterKey={masterKeys.find((key) => key.isCurrent)?.id ?? ''} />
      )}
    </Section>
  );
}

function State({ of: { isCurrent, isKnownHere, isRemovable } }: { of: MasterKey }) {
  if (isCurrent) return <Status tone="good">Seals</Status>;
  if (!isKnownHere) return <Status tone="bad">Not in MASTER_KEYS</Status>;
  return isRemovable ? <Status tone="idle">Can be removed</Status> : <Status tone="warn">Still needed</Status>;
}

/** The one thing to do next, if there is one. */
function Advice({ masterKeys, processes }: Pick<Keys, 'masterKeys' | 'processes'>) {
  const behind = (processes ?? []).filter(({ isReady }) => !isReady);
  const current = masterKeys.find(({ isCurrent }) => isCurrent)?.id ?? '';
  const removable = masterKeys.filter(({ isRemovable }) => isRemovable).map(({ id }) => id);
  const needed = masterKeys.filter((key) => !key.isCurrent && key.dataKeys + key.platformSecrets > 0);
  const unknown = needed.filter(({ isKnownHere }) => !isKnownHere);
  if (unknown.length > 0)
    return (
      <Alert color="red" variant="light" title={`'${unknown[0]?.id}' is missing from MASTER_KEYS`}>
        Secrets are still sealed by it, and do not open without it. Put it back behind the current one, and restart.
      </Alert>
    );
  if (behind.length > 0)
    return (
      <Alert color="orange" variant="light" title={`Not every process seals with '${current}'`}>
        {`Restart these with '${current}' first in MASTER_KEYS before you rotate: `}
        {behind.map(({ role, host, pid }) => `${role} ${host}/${pid}`).join(', ')}.
      </Alert>
    );
  if (processes === null)
    return (
      <Alert color="orange" variant="light" title="We cannot see which processes run">
        Valkey does not answer. A rotation begins only when we can see that every process knows the current key.
      </Alert>
    );
  if (needed.length > 0)
    return (
      <Alert color="teal" variant="light" title="Next: rotate">
        {`${needed.map(({ id }) => `'${id}'`).join(' and ')} still ${needed.length === 1 ? 'seals' : 'seal'} secrets. Rotate, and everything is sealed by '${current}'.`}
      </Alert>
    );
  if (removable.length > 0)
    return (
      <Alert
        color="teal"
        variant="light"
        title={`You can take ${removable.map((id) => `'${id}'`).join(' and ')} out of MASTER_KEYS`}
      >
        {`Nothing is sealed by ${removable.length === 1 ? 'it' : 'them'} any more. Restart every process afterwards, and destroy the key.`}
      </Alert>
    );
  return (
    <Text c="dimmed">
      {`All is sealed by '${current}'; ${counted(processes.length, 'process knows', 'processes know')} it.`}
    </Text>
  );
}

const Steps = () => (
  <Stack gap={4}>
    <Text fw={600}>How to change the master key</Text>
    <List type="ordered" size="sm">
      <List.Item>
        Make 32 random bytes and put them first: <Code>MASTER_KEYS=2027:…,2026:…</Code> The old one stays behind it.
      </List.Item>
      <List.Item>Restart every API and worker process. Old secrets open as before; new ones use the new key.</List.Item>
      <List.Item>Rotate the encryption keys here, and wait for the sentence that says it is finished.</List.Item>
      <List.Item>When the old key is marked “Can be removed”, take it out of MASTER_KEYS and restart again.</List.Item>
    </List>
  </Stack>
);
