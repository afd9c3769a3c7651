import { Button, Group, Stack, TextInput } from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import type { Contact } from './people.ts';

interface Props {
  contact: Contact;
  isOpen: boolean;
  onClose(): void;
}

export function EditContact({ contact, isOpen, onClose }: Props) {
  const save = useAction(
    (body: { name: string | null; email: string }) =>
      call(api.PATCH('/contacts/{id}', { params: { path: { id: contact.id } }, body })),
    { success: 'Contact saved' },
  );
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const saved = await save.run({ name: trimmedField(form, 'name') || null, email: trimmedField(form, 'email') });
    if (saved) onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Edit contact">
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <TextInput name="name" label="Name" defaultValue={contact.name ?? ''} maxLength={120} data-autofocus />
          <TextInput
            name="email"
            type="email"
            label="Email"
            description="Replaced when your website identifies this user with another email."
            defaultValue={contact.email}
            maxLength={254}
            required
          />
          <ProblemText problem={save.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isRunning}>
              Save contact
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
