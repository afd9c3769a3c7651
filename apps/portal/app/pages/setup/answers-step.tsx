import { Button, Group, Paper, Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Problem, ProblemText, Section, TextLink, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { answerModes, type AnswerMode } from '../../parts/answer-modes.ts';
import { useMe } from '../../parts/me.ts';
import { denialReason, planWith } from '../../parts/rights.ts';
import type { AnswerChoice } from '../../parts/setup-state.ts';
import { costNote, Example } from './answer-example.tsx';
import './setup.css';

type Bot = Schemas['Bot'];

/** How the bot answers: a choice between two, with one question answered both ways from the bot's own content. */
export function AnswersStep({ bot, choice }: { bot: Bot; choice: AnswerChoice }) {
  const { answers } = bot.draft;
  const reason = denialReason(useMe(), 'bot.manage');
  const models = modelsFor(answers.models, choice.models);
  const hasModel = models.length > 0;
  const { mode, choose, saving } = useAnswerMode(bot, models);

  const path = { id: bot.id };
  const [quoted, setQuoted] = useState<Schemas['AskedBot']>();
  const [written, setWritten] = useState<Schemas['AskedModel']>();
  const quote = useAction(
    async (question: string) => {
      setQuoted(undefined);
      setQuoted(await call(api.POST('/bots/{id}/ask', { params: { path }, body: { question } })));
    },
    { isQuiet: true },
  );
  const write = useAction(
    async (question: string) => {
      setWritten(undefined);
      setWritten(await call(api.POST('/bots/{id}/ask-model', { params: { path }, body: { question, models } })));
    },
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const question = trimmedField(new FormData(event.currentTarget), 'question');
    void quote.run(question);
    if (hasModel) void write.run(question);
  };

  return (
    <Section
      title="Choose how your bot answers"
      description="Ask one question and compare. You can change this at any time on the Build page."
    >
      <form onSubmit={send}>
        <Group align="flex-end" gap="xs">
          <TextInput
            name="question"
            label="Example question"
            defaultValue={choice.question}
            flex={1}
            miw={200}
            maxLength={500}
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <Button
            type="submit"
            variant="default"
            loading={quote.isRunning || write.isRunning}
            disabled={reason !== undefined}
          >
            {hasModel ? 'Show both answers' : 'Show the answer'}
          </Button>
        </Group>
      </form>
      <Radio.Group
        value={mode}
        onChange={(value) => choose(value)}
        aria-label="Answer mode"
        aria-busy={saving.isRunning}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Option mode="extractive" isChosen={mode === 'extractive'} isDisabled={reason !== undefined}>
            <Example
              isRunning={quote.isRunning}
              problem={quote.problem}
              answer={quoted?.answer}
              missing="No answer found. Ask something that your content covers, or add knowledge about this above."
            />
          </Option>
          <Option
            mode="model"
            isChosen={mode === 'model'}
            isDisabled={reason !== undefined || (!hasModel && mode !== 'model')}
          >
            {hasModel ? (
              <Example
                isRunning={write.isRunning}
                problem={write.problem}
                answer={written?.answer}
                missing={written?.message ?? ''}
                note={costNote(written?.spend)}
              />
            ) : (
              <NoModel isChosen={mode === 'model'} />
            )}
          </Option>
        </SimpleGrid>
      </Radio.Group>
      <ProblemText problem={saving.problem} />
      <Text size="sm" c="dimmed" role="status">
        {saving.isRunning ? 'Saving…' : `Saved in the draft: ${answerModes[mode].label}`}
      </Text>
    </Section>
  );
}

/** Those of the draft that the bot can use; otherwise the first that it can. */
function modelsFor(chosen: AnswerChoice['models'], available: AnswerChoice['models']): AnswerChoice['models'] {
  const usable = chosen.filter((id) => available.includes(id));
  return usable.length > 0 ? usable : available.slice(0, 1);
}

/** The mode of the draft. A choice is saved immediately, unless someone else changed the draft since it was loaded. */
function useAnswerMode({ id, revision, draft }: Bot, models: AnswerChoice['models']) {
  const { revalidate } = useRevalidator();
  const [next, setNext] = useState<AnswerMode>(draft.answers.mode);
  const saving = useAction(async (mode: AnswerMode) => {
    const answers = mode === 'model' ? { mode, models } : { mode };
    await call(
      api.PATCH('/bots/{id}/draft', { params: { path: { id } }, body: { revision, draft: { answers } } }),
    ).catch(async (error: unknown) => {
      if (!(error instanceof Problem) || error.reason !== 'draft_changed') throw error;
      await revalidate();
      throw new Problem(error.status, {
        message: 'Someone else changed this draft. The page shows it as it is now: choose again.',
      });
    });
  });
  const choose = (mode: AnswerMode) => {
    if (saving.isRunning || mode === draft.answers.mode) return;
    setNext(mode);
    void saving.run(mode);
  };
  return { mode: saving.isRunning ? next : draft.answers.mode, choose, saving };
}

interface OptionProps {
  mode: AnswerMode;
  isChosen: boolean;
  isDisabled: boolean;
  children: ReactNode;
}

function Option({ mode, isChosen, isDisabled, children }: OptionProps) {
  const { label, description } = answerModes[mode];
  return (
    <Paper withBorder className="answer-option" role="group" aria-label={label} mod={{ chosen: isChosen }}>
      <Radio.Card
        withBorder={false}
        value={mode}
        disabled={isDisabled}
        p="sm"
        aria-labelledby={`${mode}-label`}
        aria-describedby={`${mode}-description`}
      >
        <Group wrap="nowrap" align="flex-start" gap="sm">
          <Radio.Indicator disabled={isDisabled} />
          <div>
            <Text fw={600} id={`${mode}-label`}>
              {label}
            </Text>
            <Text size="sm" c="dimmed" id={`${mode}-description`}>
              {description}
            </Text>
          </div>
        </Group>
      </Radio.Card>
      <div className="answer-example" role="status">
        {children}
      </div>
    </Paper>
  );
}

function NoModel({ isChosen }: { isChosen: boolean }) {
  const { entitlements } = useMe();
  return (
    <Text size="sm">
      No AI model is set up. Ask the platform admin of this service to set one up
      {entitlements.custom_model
        ? ', or ask a developer on your team to add your own through the API.'
        : `. ${planWith('custom_model')}`}
      {isChosen && ' Until then, your bot quotes your content.'}
    </Text>
  );
}

/** After publishing: what was chosen, and where to change it. */
export const ChosenAnswers = ({ bot }: { bot: Bot }) => {
  const { label, description } = answerModes[bot.draft.answers.mode];
  return (
    <Section title="How your bot answers">
      <Text>
        <b>{label}.</b> {description} <TextLink to={`/bots/${bot.id}`}>Change it on the Build page</TextLink>
      </Text>
    </Section>
  );
};
