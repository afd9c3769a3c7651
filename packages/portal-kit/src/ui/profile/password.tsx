import { Button, PasswordInput, Stack } from '@mantine/core';
import { useAction } from '../action.tsx';
import { api, call, field } from '../browser.ts';
import { Section } from '../page.tsx';
import { ProblemText } from '../problem.tsx';
import type { FormEvent } from 'react';
import { useAccountRoutes } from '../account-routes.ts';

export function Password({ email }: { email: string }) {
  const at = useAccountRoutes();
  const change = useAction(
    (currentPassword: string, newPassword: string) =>
      call(api.POST(at.changePassword, { body: { currentPassword, newPassword } })),
    { success: 'Password changed. You’ve been signed out of your other sessions.' },
  );
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await change.run(field(form, 'current'), field(form, 'new'))) form.reset();
  };
  return (
    <Section title="Password" description="Changing your password signs you out of all other sessions.">
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          {/* The username, for password managers. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput name="current" label="Current password" autoComplete="current-password" required />
          <PasswordInput
            name="new"
            label="New password"
            description="At least 12 characters. A long phrase is easier to remember than symbols."
            autoComplete="new-password"
            minLength={12}
            required
          />
          <ProblemText problem={change.problem} />
          <Button type="submit" w="fit-content" loading={change.isRunning}>
            Change password
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
