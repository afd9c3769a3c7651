import { Alert, Button, Checkbox, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { Ago, api, call, Dialog, field, ProblemText, Rows, Section, Status, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import type { SigningKey } from './labels.ts';

interface Signer {
  of: 'customer' | 'admin' | 'assertions';
  keys: SigningKey[];
}

const names: Record<Signer['of'], { title: string; description: string; lost: string }> = {
  customer: {
    title: 'Customer access tokens',
    description: 'Signs the access tokens of tenant members.',
    lost: 'All customer access tokens stop working immediately. Sessions get new ones automatically.',
  },
  admin: {
    title: 'Platform admin access tokens',
    description: 'Signs the access tokens of platform admins, including yours.',
    lost: 'All platform admin access tokens stop working immediately, including yours. Sessions get new ones automatically.',
  },
  assertions: {
    title: 'User assertions',
    description: 'Identifies the signed-in user when a bot calls a tenant’s backend.',
    lost: 'The old key is retired within a minute. Tenants that cache our published keys reject calls until they refresh them.',
  },
};

const tones = { next: 'idle', signing: 'good', retired: 'idle' } as const;
const states = { next: 'Next', signing: 'Active', retired: 'Retired' };

export function Signing({ signers }: { signers: Signer[] }) {
  const reason = denialReason(useMe(), 'platform.system.manage');
  const [rotating, setRotating] = useState<Signer>();
  return (
    <Section
      title="Signing keys"
      description="Rotated automatically every 90 days. You can also rotate a key manually."
    >
      {reason && <Text c="dimmed">{reason}</Text>}
      {signers.map((signer) => (
        <Stack key={signer.of} gap="xs">
          <Group justify="space-between">
            <div>
              <Text fw={600}>{names[signer.of].title}</Text>
              <Text c="dimmed" size="sm">
                {names[signer.of].description}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              disabled={!!reason}
              aria-label={`Rotate key: ${names[signer.of].title}`}
              onClick={() => setRotating(signer)}
            >
              Rotate key
            </Button>
          </Group>
          <KeyRows signer={signer} />
        </Stack>
      ))}
      <RotateSigningKey signer={rotating} onClose={() => setRotating(undefined)} />
    </Section>
  );
}

const KeyRows = ({ signer: { of, keys } }: { signer: Signer }) =>
  keys.length === 0 ? (
    <Text c="dimmed">No key yet. The first one is created when it’s needed.</Text>
  ) : (
    <Rows label={names[of].title} columns={['Key ID', 'Status', 'Active from', 'Active until']} minWidth={620}>
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
            <Ago at={until} fallback="–" />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );

function RotateSigningKey({ signer, onClose }: { signer: Signer | undefined; onClose(): void }) {
  const [isEmergency, setEmergency] = useState(false);
  const rotate = useAction((of: Signer['of'], reason: string) =>
    call(api.POST('/admin/keys/signing', { body: { of, isEmergency, reason } })),
  );
  const close = () => {
    setEmergency(false);
    rotate.clear();
    onClose();
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (signer && (await rotate.run(signer.of, field(event.currentTarget, 'reason')))) close();
  };
  return (
    <Dialog isOpen={signer !== undefined} onClose={close} title={`Rotate key: ${signer ? names[signer.of].title : ''}`}>
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          {isEmergency ? (
            <Alert color="red" variant="light" title="Takes effect immediately">
              {signer && names[signer.of].lost}
            </Alert>
          ) : (
            <Text>The new key is published now and starts signing in 24 hours. Existing tokens keep working.</Text>
          )}
          <Checkbox
            label="The key may be compromised: replace it immediately"
            checked={isEmergency}
            onChange={(event) => setEmergency(event.currentTarget.checked)}
          />
          <TextInput
            name="reason"
            label="Reason"
            description="Saved to the audit log."
            required
            minLength={3}
            maxLength={500}
            data-autofocus
          />
          <ProblemText problem={rotate.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" {...(isEmergency && { color: 'red' })} loading={rotate.isRunning}>
              {isEmergency ? 'Replace key now' : 'Publish next key'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
