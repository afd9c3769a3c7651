import { Button, Checkbox, Group, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, ProblemText, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { describeProblem, planName } from './member-problems.ts';
import { roles as allRoles, roleDenialReason, type Role } from './roles.ts';

/** One checkbox per role. Roles the member can't assign are disabled and say why. */
export function RoleBoxes({ chosen, onChange }: { chosen: Role[]; onChange(roles: Role[]): void }) {
  const me = useMe();
  return (
    <Checkbox.Group
      label="Roles"
      description="Permissions from all selected roles are combined."
      value={chosen}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {allRoles.map(({ role, name, description }) => {
          const reason = roleDenialReason(me, [role]);
          return (
            <Checkbox key={role} value={role} label={name} description={reason ?? description} disabled={!!reason} />
          );
        })}
      </Stack>
    </Checkbox.Group>
  );
}

export function RoleEditor({ member, reason }: { member: Schemas['Member']; reason: string | undefined }) {
  const me = useMe();
  const [isOpen, { open, close }] = useDisclosure();
  const [chosen, setChosen] = useState<Role[]>(member.roles);
  const change = useAction((roles: Role[]) =>
    call(api.PATCH('/members/{userId}', { params: { path: { userId: member.userId } }, body: { roles } })),
  );
  const start = () => {
    setChosen(member.roles);
    change.clear();
    open();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await change.run(chosen)) close();
  };
  const isSame = [...chosen].toSorted().join() === [...member.roles].toSorted().join();
  if (reason)
    return (
      <WithReason reason={reason}>
        <Button size="compact-sm" variant="default" disabled aria-label={`Change roles for ${member.name}`}>
          Change roles
        </Button>
      </WithReason>
    );
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      width={340}
      position="bottom-end"
      withArrow
      trapFocus
      returnFocus
      withRoles
      shadow="md"
    >
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Change roles for ${member.name}`}
          onClick={() => (isOpen ? close() : start())}
        >
          Change roles
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Roles for ${member.name}`}>
        <form onSubmit={(event) => void save(event)}>
          <Stack gap="sm">
            <RoleBoxes chosen={chosen} onChange={setChosen} />
            {member.userId === me.userId && !isSame && (
              <span>You’re changing your own roles. Only another member can restore a role you remove.</span>
            )}
            <ProblemText
              problem={describeProblem(change.problem, {
                plan: planName(me.plan),
                max: me.entitlements['members.max'],
              })}
            />
            <Group gap="xs" justify="flex-end">
              <Button variant="default" size="xs" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" size="xs" disabled={chosen.length === 0 || isSame} loading={change.isRunning}>
                Save roles
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
