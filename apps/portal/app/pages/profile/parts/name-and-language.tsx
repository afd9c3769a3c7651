import { Select, Stack, TextInput } from '@mantine/core';
import { api, call, field, SaveBar, Section, useAction, useDirtyForm } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';

export function NameAndLanguage() {
  const me = useMe();
  const form = useDirtyForm();
  const save = useAction((name: string, locale: 'en' | 'de') => call(api.PATCH('/me', { body: { name, locale } })), {
    success: 'Saved.',
  });
  const reason =
    me.locale === null ? 'Your organisation’s identity provider manages your name. Change it there.' : undefined;
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = event.currentTarget;
    const markSaved = form.startSave();
    if (await save.run(field(sent, 'name').trim(), field(sent, 'locale') === 'de' ? 'de' : 'en')) markSaved();
  };
  return (
    <Section title="Name and language">
      <form key={form.formKey} onSubmit={(event) => void send(event)} onChange={form.onChange}>
        <Stack gap="sm">
          <TextInput
            name="name"
            label="Your name"
            description={reason ?? 'Members of your organisations see it, and so do visitors you reply to.'}
            defaultValue={me.name ?? ''}
            autoComplete="name"
            maxLength={120}
            required
            disabled={reason !== undefined}
          />
          <Select
            name="locale"
            label="Language"
            description="For emails we send you. The portal is only available in English."
            defaultValue={me.locale === 'de' ? 'de' : 'en'}
            allowDeselect={false}
            disabled={reason !== undefined}
            onChange={form.onChange}
            data={[
              { value: 'en', label: 'English' },
              { value: 'de', label: 'German' },
            ]}
          />
          <SaveBar
            isDirty={form.isDirty}
            onDiscard={() => {
              save.clear();
              form.discard();
            }}
            isSaving={save.isRunning}
            problem={save.problem}
            saveLabel="Save name and language"
          />
        </Stack>
      </form>
    </Section>
  );
}
