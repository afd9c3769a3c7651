import { Button, Group, Table, TextInput } from '@mantine/core';
import type { Schemas } from '../../service/client.ts';
import { useAction } from '../action.tsx';
import { api, call, field } from '../browser.ts';
import { ConfirmByName } from '../confirm.tsx';
import { Empty } from '../empty.tsx';
import { Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import { Rows } from '../rows.tsx';
import { Ago } from '../small.tsx';
import { toast } from '../toast.tsx';
import { useState, type FormEvent } from 'react';
import { useAccountRoutes } from '../account-routes.ts';
import { createPasskey } from './create-passkey.ts';

type Passkey = Schemas['Passkey'];

export function Passkeys({ passkeys }: { passkeys: Passkey[] }) {
  const at = useAccountRoutes();
  const [removing, setRemoving] = useState<Passkey>();
  const add = useAction(async (name: string) => {
    await createPasskey(at, name);
    toast({ message: `Passkey “${name}” added. You can use it the next time you sign in.` });
    return true;
  });
  const remove = useAction(async ({ id, name }: Passkey) => {
    await call(api.DELETE(at.passkey, { params: { path: { id } } }));
    setRemoving(undefined);
    toast({ message: `Passkey “${name}” removed.` });
  });
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await add.run(field(form, 'name').trim())) form.reset();
  };
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, face, PIN or security key. Once you add a passkey, your password alone is no longer enough to sign in."
    >
      {passkeys.length === 0 ? (
        <Empty title="No passkeys yet">Name a passkey after the device you’ll save it on, then add it.</Empty>
      ) : (
        <Rows
          label="Passkeys table"
          columns={['Name', { label: 'Added', align: 'right' }, { label: 'Last used', align: 'right' }, 'Actions']}
          hasActions
        >
          {passkeys.map((passkey) => (
            <Table.Tr key={passkey.id}>
              <Table.Td>{passkey.name}</Table.Td>
              <Table.Td>
                <Ago at={passkey.createdAt} />
              </Table.Td>
              <Table.Td>
                <Ago at={passkey.lastUsedAt} />
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="outline"
                  color="red"
                  aria-label={`Remove passkey ${passkey.name}`}
                  onClick={() => setRemoving(passkey)}
                >
                  Remove
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <form onSubmit={(event) => void send(event)}>
        <Group gap="xs" align="flex-end">
          <TextInput
            name="name"
            label="Passkey name"
            placeholder="Work laptop"
            maxLength={80}
            required
            autoComplete="off"
            w={280}
            maw="100%"
          />
          <Button type="submit" variant="default" loading={add.isRunning}>
            Add passkey
          </Button>
        </Group>
      </form>
      <ProblemText problem={add.problem} />
      <ConfirmByName
        isOpen={removing !== undefined}
        title={`Remove passkey ${removing?.name ?? ''}?`}
        name={removing?.name ?? ''}
        confirmLabel="Remove passkey"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => removing && void remove.run(removing)}
        onClose={() => {
          remove.clear();
          setRemoving(undefined);
        }}
      >
        You can no longer sign in with it. Delete it on the device too, so the device stops suggesting it. Sessions
        started with it stay signed in: if you lost the device, end them below.
      </ConfirmByName>
    </Section>
  );
}
