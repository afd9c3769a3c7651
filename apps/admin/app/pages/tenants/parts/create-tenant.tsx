import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { api, call, Dialog, fieldsOf, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { isPlan, plans } from '../labels.ts';

export const languages = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'German' },
];
export const localeIn = (text: string | undefined): 'en' | 'de' => (text === 'de' ? 'de' : 'en');

/** Creates a tenant and optionally invites its owner. */
export function CreateTenant({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const navigate = useNavigate();
  // One idempotency key per dialog, so that a double click creates one tenant.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const create = useAction(
    (name: string, plan: string | undefined, owner: { email: string; locale: 'en' | 'de' } | undefined) =>
      call(
        api.POST('/admin/tenants', {
          body: { name, ...(isPlan(plan ?? null) && { plan: plan as 'free' }), ...(owner && { owner }) },
          idempotencyKey: key,
        }),
      ),
    { isQuiet: true },
  );
  const close = () => {
    create.clear();
    setKey(crypto.randomUUID());
    onClose();
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { name = '', plan, email = '', locale } = fieldsOf(event.currentTarget);
    const owner = email.trim() ? { email: email.trim(), locale: localeIn(locale) } : undefined;
    const created = await create.run(name.trim(), plan, owner);
    if (created) void navigate(`/tenants/${created.tenant.id}`);
    else setKey(crypto.randomUUID()); // a corrected form is a new request
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title="Create tenant">
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <TextInput name="name" label="Organisation name" required maxLength={120} data-autofocus />
          <Select name="plan" label="Plan" data={[...plans]} defaultValue="free" allowDeselect={false} />
          <TextInput
            name="email"
            type="email"
            label="Owner’s email"
            description="They get an invitation that expires in 7 days."
            maxLength={254}
            autoComplete="off"
          />
          <Select name="locale" label="Email language" data={languages} defaultValue="en" allowDeselect={false} />
          <Alert variant="light" color="gray">
            <Text size="sm">
              The tenant starts with a Default workspace and live and test environments. No one can sign in until it has
              an owner, but you can invite one later.
            </Text>
          </Alert>
          <ProblemText problem={create.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning}>
              Create tenant
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
