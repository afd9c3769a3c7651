import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { ProblemText, Section, trimmedField, WithReason } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
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
  const [isSaved, setSaved] = useState(false);
  const save = useChange(bot.id);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setSaved(false);
    const saved = await save.run({
      name: trimmedField(form, 'name'),
      retentionDays: Number(trimmedField(form, 'retentionDays').replace(/\D/g, '')),
      limits: {
        spendPerDay: dollarsOf(form, 'spendPerDay'),
        spendPerVisitorDay: dollarsOf(form, 'spendPerVisitorDay'),
      },
    });
    if (saved) setSaved(true);
  };
  return (
    <Section title="General" description="Changes take effect immediately. To change what the bot says, go to Build.">
      <form onSubmit={(event) => void send(event)} onChange={() => setSaved(false)}>
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
            />
          </div>
          <ProblemText problem={save.problem} />
          <Group gap="xs">
            <WithReason reason={reason}>
              <Button type="submit" loading={save.isRunning} disabled={reason !== undefined}>
                Save settings
              </Button>
            </WithReason>
            <Text role="status" c="dimmed">
              {isSaved && 'Saved.'}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
