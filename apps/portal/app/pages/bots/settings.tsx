import { NumberInput, Stack, TextInput } from '@mantine/core';
import { SaveBar, Section, toast, trimmedField, useDirtyForm } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Archive, Running, useChange } from './running.tsx';
import { useBot } from './bot-data.ts';

export const meta = () => [{ title: 'Bot settings · Parley' }];

export default function Settings() {
  return (
    <>
      <General />
      <Running />
      <Archive />
    </>
  );
}

/** Empty: no limit. */
const dollarsOf = (form: FormData, name: string) => {
  const text = trimmedField(form, name).replace(/[^\d.]/g, '');
  return text === '' ? null : Number(text);
};

function General() {
  const { bot } = useBot();
  const me = useMe();
  const reason = denialReason(me, 'bot.manage');
  const form = useDirtyForm();
  const save = useChange(bot.id);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const markSaved = form.startSave();
    const saved = await save.run({
      name: trimmedField(fields, 'name'),
      retentionDays: Number(trimmedField(fields, 'retentionDays').replace(/\D/g, '')),
      limits: {
        spendPerDay: dollarsOf(fields, 'spendPerDay'),
        spendPerVisitorDay: dollarsOf(fields, 'spendPerVisitorDay'),
      },
    });
    if (!saved) return;
    markSaved();
    toast({ message: 'Settings saved.' });
  };
  return (
    <Section title="General" description="Changes take effect immediately. To change what the bot says, go to Build.">
      <form key={form.formKey} onSubmit={(event) => void send(event)} onChange={form.onChange}>
        <Stack gap="sm" maw={640}>
          <TextInput
            name="name"
            label="Name"
            description="For your team. Visitors see the title."
            defaultValue={bot.name}
            maxLength={80}
            required
          />
          <NumberInput
            name="retentionDays"
            label="Keep conversations for"
            description="Conversations are deleted this long after their last message. A shorter period deletes older ones soon."
            defaultValue={bot.retentionDays}
            min={1}
            max={730}
            suffix=" days"
            allowDecimal={false}
            onChange={form.onChange}
            required
          />
          <div className="pair">
            <NumberInput
              name="spendPerDay"
              label="Daily AI budget"
              description={`Once it’s used up, the bot quotes your knowledge instead. Leave blank to use your plan’s $${me.entitlements['model_spend.per_day']} per day for all bots.`}
              defaultValue={bot.limits.spendPerDay ?? ''}
              min={0}
              max={1_000_000}
              prefix="$"
              decimalScale={2}
              onChange={form.onChange}
            />
            <NumberInput
              name="spendPerVisitorDay"
              label="Daily AI budget per visitor"
              description="Keeps one visitor from using the whole budget. Leave blank for no limit."
              defaultValue={bot.limits.spendPerVisitorDay ?? ''}
              min={0}
              max={1_000_000}
              prefix="$"
              decimalScale={2}
              onChange={form.onChange}
            />
          </div>
          <SaveBar
            isDirty={form.isDirty}
            onDiscard={() => {
              save.clear();
              form.discard();
            }}
            isSaving={save.isRunning}
            problem={save.problem}
            saveLabel="Save settings"
            reason={reason}
          />
        </Stack>
      </form>
    </Section>
  );
}
