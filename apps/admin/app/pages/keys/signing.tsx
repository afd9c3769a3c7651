import { Alert, Button, Checkbox, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { Ago, api, call, Dialog, field, ProblemText, Rows, Section, Status, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import type { SigningKey } from './words.ts';

interface Signer {
  of: 'customer' | 'admin' | 'assertions';
  keys: SigningKey[];
}

const names: Record<Signer['of'], { title: string; about: string; lost: string }> = {
  customer: {
    title: 'Tokens of customers',
    about: 'Signs what people of tenants are signed in with.',
    lost: 'Every access token of customers ends at once; their sessions get new ones by themselves.',
  },
  admin: {
    title: 'Tokens of operators',
    about: 'Signs what you are signed in with.',
    lost: 'Every access token of operators ends at once, yours too; sessions get new ones by themselves.',
  },
  assertions: {
    title: 'Who is asking, told to tenants',
    about: 'Vouches for signed-in people when a bot calls the systems of its tenant.',
    lost: 'Tenants that keep our published keys refuse calls until they read them again; we stop using the old one within a minute.',
  },
};

const tones = { next: 'idle', signing: 'good', retired: 'idle' } as const;
const states = { next: 'Next', signing: 'Signs', retired: 'Retired' };

export function Signing({ signers }: { signers: Signer[] }) {
  const reason = whyNot(useMe(), 'platform.system.manage');
  const [turning, setTurning] = useState<Signer>();
  return (
    <Section title="Signing keys" about="They change by themselves every 90 days. Change one earlier here.">
      {reason && <Text c="dimmed">{reason}</Text>}
      {signers.map((signer) => (
        <Stack key={signer.of} gap="xs">
          <Group justify="space-between">
            <div>
              <Text fw={600}>{names[signer.of].title}</Text>
              <Text c="dimmed" size="sm">
                {names[signer.of].about}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              disabled={!!reason}
              aria-label={`Change the key: ${names[signer.of].title}`}
              onClick={() => setTurning(signer)}
            >
              Change the key
            </Button>
          </Group>
          <KeyRows signer={signer} />
        </Stack>
      ))}
      <Turn signer={turning} onClose={() => setTurning(undefined)} />
    </Section>
  );
}

const KeyRows = ({ signer: { of, keys } }: { signer: Signer }) =>
  keys.length === 0 ? (
    <Text c="dimmed">The first key is made when it is needed.</Text>
  ) : (
    <Rows label={names[of].title} heads={['Key', 'State', 'Signs from', 'Until']} minWidth={620}>
      {keys.map(({ kid, state, since, until }) => (
        <Table.Tr key={kid}>
          <Table.Td>
            <Code>{kid}</Code>
          </Table.Td>
          <Table.Td miw={110}>
            <Status tone={tones[state]}>{states[state]}</Status>
          </Table.Td>
          <Table.Td>
            <Ago at={since} />
          </Table.Td>
          <Table.Td>
            <Ago at={until} never="not planned" />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );

function Turn({ signer, onClose }: { signer: Signer | undefined; onClose(): void }) {
  const [isEmergency, setEmergency] = useState(false);
  const turn = useAction((of: Signer['of'], reason: string) =>
    call(api.POST('/admin/keys/signing', { body: { of, isEmergency, reason } })),
  );
  const close = () => {
    setEmergency(false);
    turn.forget();
    onClose();
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (signer && (await turn.run(signer.of, field(event.currentTarget, 'reason')))) close();
  };
  return (
    <Dialog
      isOpen={signer !== undefined}
      onClose={close}
      title={`Change the key: ${signer ? names[signer.of].title : ''}`}
    >
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          {isEmergency ? (
            <Alert color="red" variant="light" title="At once">
              {signer && names[signer.of].lost}
            </Alert>
          ) : (
            <Text>The new key is published now and signs in a day, when everybody has heard of it. Nothing ends.</Text>
          )}
          <Checkbox
            label="The key may be known to others: change it at once"
            checked={isEmergency}
            onChange={(event) => setEmergency(event.currentTarget.checked)}
          />
          <TextInput
            name="reason"
            label="Reason"
            description="Stands in the audit log."
            required
            minLength={3}
            maxLength={500}
            data-autofocus
          />
          <ProblemText problem={turn.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button type="submit" {...(isEmergency && { color: 'red' })} loading={turn.isRunning}>
              {isEmergency ? 'Change at once' : 'Publish the next key'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
