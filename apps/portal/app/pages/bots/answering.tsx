import { MultiSelect, NumberInput, Radio, Stack, Switch, Text, Textarea } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { planWith } from '../../parts/rights.ts';
import type { Drafting } from './draft.tsx';
import { left } from './wording.tsx';

interface Props {
  drafting: Drafting;
}

interface AnsweringProps extends Props {
  models: { id: string; name: string; model: string }[];
  hasOwn: boolean;
}

export function Answering({ drafting: { mine, set }, models, hasOwn }: AnsweringProps) {
  const { answers } = mine;
  const setAnswers = (part: Partial<typeof answers>) => set({ answers: { ...answers, ...part } });
  const choices = [
    { value: 'default', label: 'Our own model' },
    ...models.map(({ id, name, model }) => ({ value: id, label: `${name} (${model})` })),
  ];
  const gone = answers.models.filter((id) => choices.every(({ value }) => value !== id));
  return (
    <Section title="How it answers">
      <Radio.Group label="Answers are" value={answers.mode} onChange={(mode) => setAnswers({ mode })}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="extractive"
            label="Quoted from your knowledge"
            description="Word for word, with the source. Nothing is made up, and no model is paid."
          />
          <Radio
            value="model"
            label="Written by a model"
            description="In its own words, from your knowledge, with the sources named. Costs money for each answer."
          />
        </Stack>
      </Radio.Group>
      {answers.mode === 'model' && (
        <>
          <MultiSelect
            label="Models"
            description="Tried in this order. If none of them answers, your knowledge is quoted instead."
            data={[...choices, ...gone.map((value) => ({ value, label: 'A model that was deleted' }))]}
            value={answers.models}
            onChange={(chosen) => chosen.length > 0 && setAnswers({ models: chosen })}
            maxValues={4}
            error={gone.length > 0 ? 'A model was deleted. Remove it here before you publish.' : undefined}
          />
          {!hasOwn && (
            <Text size="xs" c="dimmed">
              {planWith('custom_model')}
            </Text>
          )}
          <Textarea
            label="Instructions"
            description={`For the model: who it is, how it speaks, what it must not do.${left(mine.instructions, 8000)}`}
            value={mine.instructions}
            onChange={(event) => set({ instructions: event.currentTarget.value })}
            maxLength={8000}
            autosize
            minRows={5}
            maxRows={20}
          />
          <div className="pair">
            <NumberInput
              label="Freedom of wording"
              description="0 keeps close to the sources, 1 is free."
              value={answers.temperature}
              onChange={(value) => typeof value === 'number' && setAnswers({ temperature: value })}
              min={0}
              max={1}
              step={0.1}
              decimalScale={2}
            />
            <NumberInput
              label="Longest answer"
              description="In tokens; 400 are about 300 words."
              value={answers.maxOutputTokens}
              onChange={(value) => typeof value === 'number' && setAnswers({ maxOutputTokens: value })}
              min={50}
              max={2000}
              step={50}
              allowDecimal={false}
            />
          </div>
        </>
      )}
    </Section>
  );
}

export function Handing({ drafting: { mine, set } }: Props) {
  const { handoff } = mine;
  const setHandoff = (part: Partial<typeof handoff>) => set({ handoff: { ...handoff, ...part } });
  return (
    <Section title="Handing over to a person">
      <Switch
        label="Visitors may ask for a person"
        description="The conversation then waits for somebody of you under Conversations."
        checked={handoff.isOffered}
        onChange={(event) => setHandoff({ isOffered: event.currentTarget.checked })}
      />
      {handoff.isOffered && (
        <>
          <Switch
            label="Offer it when questions stay unanswered"
            checked={handoff.afterUnanswered !== null}
            onChange={(event) => setHandoff({ afterUnanswered: event.currentTarget.checked ? 2 : null })}
          />
          {handoff.afterUnanswered !== null && (
            <NumberInput
              label="After how many in a row"
              value={handoff.afterUnanswered}
              onChange={(value) => typeof value === 'number' && setHandoff({ afterUnanswered: value })}
              min={1}
              max={10}
              allowDecimal={false}
              maw={200}
            />
          )}
          <Textarea
            label="Words with the offer"
            description="Empty: our own words, in the visitor’s language."
            value={handoff.message}
            onChange={(event) => setHandoff({ message: event.currentTarget.value })}
            maxLength={500}
            autosize
            minRows={2}
          />
        </>
      )}
    </Section>
  );
}
