import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { Ago, api, call, fieldsOf, ProblemText, Section, toast, useAction, WithReason } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';
import { useTenant } from '../tenant.tsx';
import { languages, localeIn } from './create-tenant.tsx';

/** Invites an owner. Shown only for tenants without one. */
export function OwnerInvitation() {
  const { tenant, overview } = useTenant();
  const reason = denialReason(useMe(), 'platform.tenant.manage');
  const invite = useAction((email: string, locale: 'en' | 'de') =>
    call(
      api.POST('/admin/tenants/{id}/owner-invitation', {
        params: { path: { id: tenant.id } },
        body: { email, locale },
      }),
    ),
  );
  if (overview.owners.some(({ isDisabled }) => !isDisabled)) return null;
  const { ownerInvitation: open } = overview;
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { email = '', locale } = fieldsOf(event.currentTarget);
    const done = await invite.run(email.trim(), localeIn(locale));
    if (done) toast({ message: `Invitation sent to ${done.invitation.email}.` });
  };
  return (
    <Section title="Owner invitation">
      {open ? (
        <Text>
          {open.email} was invited <Ago at={open.createdAt} />
          {open.status === 'expired' ? ', but the link has expired' : ' and hasn’t accepted yet'}. Resend the invitation
          or correct the email address. The previous link will stop working.
        </Text>
      ) : (
        <Text>This tenant has no active owner. Invite one.</Text>
      )}
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <Group gap="xs" align="flex-end">
            <TextInput
              key={open?.email ?? ''}
              name="email"
              type="email"
              label="Owner’s email"
              defaultValue={open?.email ?? ''}
              required
              maxLength={254}
              autoComplete="off"
              disabled={reason !== undefined}
              w={300}
              maw="100%"
            />
            <Select
              name="locale"
              label="Email language"
              data={languages}
              defaultValue="en"
              allowDeselect={false}
              disabled={reason !== undefined}
              w={180}
            />
            <WithReason reason={reason}>
              <Button type="submit" disabled={reason !== undefined} loading={invite.isRunning}>
                {open ? 'Resend invitation' : 'Invite owner'}
              </Button>
            </WithReason>
          </Group>
          <ProblemText problem={invite.problem} />
        </Stack>
      </form>
    </Section>
  );
}
