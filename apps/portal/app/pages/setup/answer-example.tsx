import { Skeleton, Stack, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { ProblemText, type Problem } from '@parley/portal-kit/ui';
import { ExternalLink, MessageText } from '../conversations/message-text.tsx';

type ExampleAnswer = NonNullable<Schemas['AskedBot']['answer']>;

interface ExampleProps {
  isRunning: boolean;
  problem: Problem | undefined;
  /** undefined before the question, null without an answer. */
  answer: ExampleAnswer | null | undefined;
  /** Why there is no answer, and the next step. */
  missing: string;
  note?: string | undefined;
}

/** An example answer with its sources, or why there is none. */
export function Example({ isRunning, problem, answer, missing, note }: ExampleProps) {
  if (isRunning)
    return (
      <Stack gap={8}>
        <Text size="sm" c="dimmed">
          Looking for the answer…
        </Text>
        <Skeleton height={10} />
        <Skeleton height={10} width="70%" />
      </Stack>
    );
  if (problem) return <ProblemText problem={problem} />;
  if (answer === undefined)
    return (
      <Text size="sm" c="dimmed">
        The answer to your example question appears here.
      </Text>
    );
  return (
    <Stack gap={6}>
      {answer ? <AnswerView answer={answer} /> : <Text size="sm">{missing}</Text>}
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  );
}

const AnswerView = ({ answer: { text, citations } }: { answer: ExampleAnswer }) => (
  <>
    <Text size="sm" className="answer-text">
      <MessageText text={text} />
    </Text>
    {citations.length > 0 && (
      <ul className="answer-sources" aria-label="Sources">
        {citations.map(({ n, title, heading, url }) => (
          <li key={n}>
            [{n}] {url ? <ExternalLink href={url}>{heading || title}</ExternalLink> : heading || title}
          </li>
        ))}
      </ul>
    )}
  </>
);

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });
export const costNote = (spend: number | null | undefined) =>
  typeof spend === 'number' ? `AI cost: about ${dollars.format(1_000 * spend)} per 1,000 answers like this` : undefined;
