import { Button, Card, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { Draft } from './bot-data.ts';
import type { DraftEditor } from './draft.tsx';

type Rule = NonNullable<Draft['proactive']>[number];
const maxRules = 5;

/** Messages that appear next to the button before a visitor opens the chat. */
export function ProactiveForm({ draftEditor: { draft, set } }: { draftEditor: DraftEditor }) {
  const rules = draft.proactive ?? [];
  const replace = (at: number, rule: Rule) => set({ proactive: rules.with(at, rule) });
  const add = () => {
    const id = crypto.randomUUID().slice(0, 8);
    set({ proactive: [...rules, { id, message: '', when: { secondsOnPage: 15 }, maxPerVisitor: 1 }] });
  };
  return (
    <Section
      title="Proactive messages"
      description="A short message next to the button. The first one whose conditions are all met is shown, one per page view, and never during a conversation."
    >
      {rules.map((rule, at) => (
        <RuleCard
          key={rule.id}
          rule={rule}
          number={at + 1}
          onChange={(changed) => replace(at, changed)}
          onRemove={() => set({ proactive: rules.toSpliced(at, 1) })}
        />
      ))}
      {rules.length < maxRules ? (
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
          Add message
        </Button>
      ) : (
        <Text c="dimmed" size="sm">
          You can have up to {maxRules} messages.
        </Text>
      )}
    </Section>
  );
}

interface RuleProps {
  rule: Rule;
  number: number;
  onChange(rule: Rule): void;
  onRemove(): void;
}

const visitors = [
  { value: 'all', label: 'Everyone' },
  { value: 'false', label: 'New visitors' },
  { value: 'true', label: 'Returning visitors' },
];

function RuleCard({ rule, number, onChange, onRemove }: RuleProps) {
  const { when } = rule;
  /** An empty field is no condition. */
  const setWhen = (patch: { [K in keyof Rule['when']]: Rule['when'][K] | undefined }) =>
    onChange({
      ...rule,
      when: Object.fromEntries(
        Object.entries({ ...when, ...patch }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    });
  const numberOf = (value: string | number) => (typeof value === 'number' ? value : undefined);
  return (
    <Card withBorder component="section" aria-label={`Message ${number}`}>
      <Stack gap="sm">
        <TextInput
          label="Message"
          value={rule.message}
          maxLength={200}
          required
          error={rule.message.trim() ? undefined : 'Enter a message.'}
          onChange={({ currentTarget }) => onChange({ ...rule, message: currentTarget.value })}
        />
        <div className="pair">
          <TextInput
            label="Page URL contains"
            placeholder="/pricing"
            value={when.urlContains ?? ''}
            maxLength={200}
            onChange={({ currentTarget }) => setWhen({ urlContains: currentTarget.value })}
          />
          <Select
            label="Visitors"
            data={visitors}
            value={String(when.returning ?? 'all')}
            allowDeselect={false}
            onChange={(value) => setWhen({ returning: value === 'all' ? undefined : value === 'true' })}
          />
          <NumberInput
            label="After time on page"
            value={when.secondsOnPage ?? ''}
            min={0}
            max={3_600}
            suffix=" s"
            allowDecimal={false}
            clampBehavior="strict"
            onChange={(value) => setWhen({ secondsOnPage: numberOf(value) })}
          />
          <NumberInput
            label="After scrolling"
            value={when.scrollPercent ?? ''}
            min={1}
            max={100}
            suffix=" %"
            allowDecimal={false}
            clampBehavior="strict"
            onChange={(value) => setWhen({ scrollPercent: numberOf(value) })}
          />
          <NumberInput
            label="Times per visitor"
            value={rule.maxPerVisitor}
            min={1}
            max={20}
            allowDecimal={false}
            clampBehavior="strict"
            onChange={(value) => typeof value === 'number' && onChange({ ...rule, maxPerVisitor: value })}
          />
        </div>
        <Group justify="flex-end">
          <Button
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={onRemove}
            aria-label={`Remove message ${number}`}
          >
            Remove
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
