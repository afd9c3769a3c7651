import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { api, call, field, ProblemText, Section, useAction, WithReason } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../../parts/me.ts';

export function NameAndLanguage() {
  const me = useMe();
  const [isSaved, setSaved] = useState(false);
  const save = useAction((name: string, locale: 'en' | 'de') => call(api.PATCH('/me', { body: { name, locale } })));
  const reason =
    me.locale === null ? 'Your organisation’s identity provider manages your name. Change it there.' : undefined;
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    const form = event.currentTarget;
    const done = await save.run(field(form, 'name').trim(), field(form, 'locale') === 'de' ? 'de' : 'en');
    setSaved(done !== undefined);
  };
  return (
    <Section title="Name and language">
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <TextInput
            name="name"
            label="Your name"
            description="Members of your organisations see it, and so do visitors you reply to."
            defaultValue={me.name ?? ''}
            autoComplete="name"
            maxLength={120}
            required
            disabled={reason !== undefined}
            onChange={() => setSaved(false)}
          />
          <Select
            name="locale"
            label="Language"
            description="For emails we send you. The portal is only available in English."
            defaultValue={me.locale === 'de' ? 'de' : 'en'}
            allowDeselect={false}
            disabled={reason !== undefined}
            onChange={() => setSaved(false)}
            data={[
              { value: 'en', label: 'English' },
              { value: 'de', label: 'German' },
            ]}
          />
          <ProblemText problem={save.problem} />
          <WithReason reason={reason}>
            <Button type="submit" w="fit-content" loading={save.isRunning} disabled={reason !== undefined}>
              Save name and language
            </Button>
          </WithReason>
          <Text role="status">{isSaved && 'Saved.'}</Text>
        </Stack>
      </form>
    </Section>
  );
}
