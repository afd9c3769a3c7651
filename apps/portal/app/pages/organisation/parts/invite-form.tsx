import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { api, call, Dialog, field, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { describeProblem, planName } from './member-problems.ts';
import { RoleBoxes } from './role-editor.tsx';
import type { Role } from './roles.ts';

interface Props {
  isOpen: boolean;
  onClose(): void;
  onInvited(email: string): void;
}

export function InviteForm({ isOpen, onClose, onInvited }: Props) {
  const me = useMe();
  const [roles, setRoles] = useState<Role[]>([]);
  const invite = useAction((email: string, locale: 'en' | 'de') =>
    call(api.POST('/invitations', { body: { email, roles, locale } })),
  );
  const close = () => {
    setRoles([]);
    invite.clear();
    onClose();
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const email = field(form, 'email').trim();
    if (!(await invite.run(email, field(form, 'locale') === 'de' ? 'de' : 'en'))) return;
    onInvited(email);
    close();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title="Invite member">
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <TextInput
            name="email"
            type="email"
            label="Email"
            maxLength={254}
            required
            data-autofocus
            autoComplete="off"
          />
          <RoleBoxes chosen={roles} onChange={setRoles} />
          <Select
            name="locale"
            label="Email language"
            defaultValue={me.locale === 'de' ? 'de' : 'en'}
            allowDeselect={false}
            data={[
              { value: 'en', label: 'English' },
              { value: 'de', label: 'German' },
            ]}
          />
          <ProblemText
            problem={describeProblem(invite.problem, { plan: planName(me.plan), max: me.entitlements['members.max'] })}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={roles.length === 0} loading={invite.isRunning}>
              Send invitation
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
