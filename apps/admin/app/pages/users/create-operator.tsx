import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { roles, roleLabels, type Role } from './labels.ts';

export function CreateOperator({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<string[]>(['support']);
  const navigate = useNavigate();
  const create = useAction((email: string, name: string) =>
    call(api.POST('/admin/users', { body: { email, name, roles: chosen as Role[], locale: 'en' } })),
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void create.run(trimmedField(form, 'email'), trimmedField(form, 'name')).then((done) => {
      if (!done) return;
      onClose();
      void navigate(`/users/admin/${done.user.userId}`);
    });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add platform admin">
      <form onSubmit={send}>
        <Stack>
          <Text>
            They get an email with a link to set a password, which expires in 24 hours. They set up two-factor
            authentication when they first sign in.
          </Text>
          <TextInput name="name" label="Name" maxLength={120} required data-autofocus />
          <TextInput name="email" type="email" label="Email" required />
          <Roles chosen={chosen} onChange={setChosen} />
          <ProblemText problem={create.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning} disabled={chosen.length === 0}>
              Add platform admin
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

export const Roles = ({ chosen, onChange }: { chosen: string[]; onChange(chosen: string[]): void }) => (
  <Checkbox.Group
    label="Roles"
    description="Permissions from all selected roles are combined."
    value={chosen}
    onChange={onChange}
  >
    <Stack gap={6} mt="xs">
      {roles.map((role) => (
        <Checkbox key={role} value={role} label={roleLabels[role].label} description={roleLabels[role].description} />
      ))}
    </Stack>
  </Checkbox.Group>
);
