import { MultiSelect, NumberInput, Radio, Stack, Switch, Text, Textarea } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { answerModes } from '../../parts/answer-modes.ts';
import { planWith } from '../../parts/rights.ts';
import type { DraftEditor } from './draft.tsx';
import { charactersLeft } from './wording.tsx';

interface Props {
  draftEditor: DraftEditor;
}

interface AnsweringProps extends Props {
  models: { id: string; name: string; model: string }[];
  hasOwn: boolean;
}

export function Answering({ draftEditor: { draft, set }, models, hasOwn }: AnsweringProps) {
  const { answers } = draft;
  const setAnswers = (patch: Partial<typeof answers>) => set({ answers: { ...answers, ...patch } });
  const choices = [
    { value: 'default', label: 'Default model' },
    ...models.map(({ id, name, model }) => ({ value: id, label: `${name} (${model})` })),
  ];
  const missingModels = answers.models.filter((id) => choices.every(({ value }) => value !== id));
  return (
    <Section title="Answers">
      <Radio.Group label="Answer mode" value={answers.mode} onChange={(mode) => setAnswers({ mode })}>
        <Stack gap="xs" mt={4}>
          <Radio value="extractive" {...answerModes.extractive} />
          <Radio value="model" {...answerModes.model} />
        </Stack>
      </Radio.Group>
      {answers.mode === 'model' && (
        <>
          <MultiSelect
            label="Models"
            description="Used in this order. If none of them responds, the bot quotes your knowledge instead."
            data={[...choices, ...missingModels.map((value) => ({ value, label: 'Deleted model' }))]}
            value={answers.models}
            onChange={(chosen) => chosen.length > 0 && setAnswers({ models: chosen })}
            maxValues={4}
            error={missingModels.length > 0 ? 'A selected model was deleted. Remove it before you publish.' : undefined}
          />
          {!hasOwn && (
            <Text size="xs" c="dimmed">
              {planWith('custom_model')}
            </Text>
          )}
          <Textarea
            label="Instructions"
            description={`Tell the AI who it is, how to sound and what to avoid.${charactersLeft(draft.instructions, 8000)}`}
            value={draft.instructions}
            onChange={(event) => set({ instructions: event.currentTarget.value })}
            maxLength={8000}
            autosize
            minRows={5}
            maxRows={20}
          />
          <div className="pair">
            <NumberInput
              label="Creativity (temperature)"
              description="0 stays close to the sources, 1 varies the most."
              value={answers.temperature}
              onChange={(value) => typeof value === 'number' && setAnswers({ temperature: value })}
              min={0}
              max={1}
              step={0.1}
              decimalScale={2}
            />
            <NumberInput
              label="Max length"
              description="In tokens. A token is about four characters."
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

export function HandoffForm({ draftEditor: { draft, set } }: Props) {
  const { handoff } = draft;
  const setHandoff = (patch: Partial<typeof handoff>) => set({ handoff: { ...handoff, ...patch } });
  return (
    <Section title="Human handoff">
      <Switch
        label="Let visitors ask for a person"
        description="The conversation then waits for your team under Conversations."
        checked={handoff.isOffered}
        onChange={(event) => setHandoff({ isOffered: event.currentTarget.checked })}
      />
      {handoff.isOffered && (
        <>
          <Switch
            label="Offer handoff after unanswered questions"
            checked={handoff.afterUnanswered !== null}
            onChange={(event) => setHandoff({ afterUnanswered: event.currentTarget.checked ? 2 : null })}
          />
          {handoff.afterUnanswered !== null && (
            <NumberInput
              label="Unanswered questions in a row"
              value={handoff.afterUnanswered}
              onChange={(value) => typeof value === 'number' && setHandoff({ afterUnanswered: value })}
              min={1}
              max={10}
              allowDecimal={false}
              maw={200}
            />
          )}
          <Textarea
            label="Handoff message"
            description="Sent to visitors who ask for a person. Leave blank for the default in the visitor’s language."
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

const replies = [
  { name: 'thanks', label: 'Thanks', description: 'For “thanks, that helped”.' },
  { name: 'goodbye', label: 'Goodbye', description: 'For “bye, have a nice day”.' },
  { name: 'identity', label: 'About the bot', description: 'For “who are you?” and “are you a robot?”.' },
  { name: 'stop', label: 'Stop', description: 'For “never mind” and “no thanks”.' },
  { name: 'abuse', label: 'Insults', description: 'For visitors who swear at the bot.' },
  {
    name: 'noPerson',
    label: 'No person available',
    description: 'For visitors who ask for a person where none is offered.',
  },
] as const;

const noReplies = { thanks: '', goodbye: '', identity: '', stop: '', abuse: '', noPerson: '' };

export function RepliesForm({ draftEditor: { draft, set } }: Props) {
  const current = draft.replies ?? noReplies;
  return (
    <Section
      title="Small talk"
      description="The bot recognises these messages in the visitor’s language and doesn’t search your knowledge for them. Leave a reply blank for the default."
    >
      {replies.map(({ name, label, description }) => (
        <Textarea
          key={name}
          label={label}
          description={description}
          value={current[name]}
          onChange={(event) => set({ replies: { ...current, [name]: event.currentTarget.value } })}
          maxLength={500}
          autosize
          minRows={1}
        />
      ))}
    </Section>
  );
}
