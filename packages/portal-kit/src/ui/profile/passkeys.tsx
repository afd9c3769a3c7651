import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import type { Schemas } from '../../service/client.ts';
import { useAction } from '../action.tsx';
import { api, call, field } from '../browser.ts';
import { ConfirmByName } from '../confirm.tsx';
import { Empty, Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import { Rows } from '../rows.tsx';
import { Ago } from '../small.tsx';
import { useState, type FormEvent } from 'react';
import { useOwnRoutes } from '../own-routes.ts';
import { makePasskey } from './make-passkey.ts';

type Passkey = Schemas['Passkey'];

export function Passkeys({ passkeys }: { passkeys: Passkey[] }) {
  const at = useOwnRoutes();
  const [removing, setRemoving] = useState<Passkey>();
  const [said, setSaid] = useState('');
  const add = useAction(async (name: string) => {
    await makePasskey(at, name);
    setSaid(`The passkey “${name}” is added. Use it at your next sign-in.`);
    return true;
  });
  const remove = useAction(async ({ id, name }: Passkey) => {
    await call(api.DELETE(at.passkey, { params: { path: { id } } }));
    setRemoving(undefined);
    setSaid(`The passkey “${name}” is removed.`);
  });
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setSaid('');
    if (await add.run(field(form, 'name').trim())) form.reset();
  };
  return (
    <Section
      title="Passkeys"
      about="A passkey lives on a phone, computer or security key. A finger, your face or a PIN opens it, and it signs you in without a password. Once you have one, your password alone no longer does."
    >
      {passkeys.length === 0 ? (
        <Empty title="No passkey yet">Give one a name below, such as the device it lives on, and add it.</Empty>
      ) : (
        <Rows label="List of passkeys" heads={['Name', 'Added', 'Last used', 'What you can do']} hasActions>
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
            label="Name of a new passkey"
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
      <Text role="status">{said}</Text>
      <ConfirmByName
        isOpen={removing !== undefined}
        title={`Remove the passkey ${removing?.name ?? ''}?`}
        name={removing?.name ?? ''}
        verb="Remove passkey"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => removing && void remove.run(removing)}
        onClose={() => {
          remove.forget();
          setRemoving(undefined);
        }}
      >
        It no longer signs you in. Delete it on the device too, so that the device stops offering it. Sessions that it
        began go on: end them below if the device is lost.
      </ConfirmByName>
    </Section>
  );
}
