import { Badge, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import {
  api,
  call,
  ProblemText,
  Section,
  Status,
  trimmedField,
  TextLink,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconSearch } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { MessageText } from '../conversations/message-text.tsx';

type AskResult = Schemas['AskedBot'];

/** Tests a question: shows the answer, the matching chunks and the matched terms. */
export function AskBox({ botId }: { botId: string }) {
  const [result, setResult] = useState<AskResult & { question: string }>();
  const reason = denialReason(useMe(), 'bot.manage', 'knowledge');
  const askQuestion = useAction(
    async (question: string) => {
      const response = await call(api.POST('/bots/{id}/ask', { params: { path: { id: botId } }, body: { question } }));
      setResult({ ...response, question });
    },
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void askQuestion.run(trimmedField(new FormData(event.currentTarget), 'question'));
  };
  return (
    <Section
      title="Test a question"
      description="See what your bot finds for a question, and why. Searches all enabled sources, even before you publish. No AI model is called, and nothing is stored."
    >
      <form onSubmit={send}>
        <Group align="flex-end" gap="xs">
          <TextInput name="question" label="Question" flex={1} miw={200} maxLength={500} required autoComplete="off" />
          <WithReason reason={reason}>
            <Button
              type="submit"
              leftSection={<IconSearch size={16} aria-hidden />}
              loading={askQuestion.isRunning}
              disabled={reason !== undefined}
            >
              Test
            </Button>
          </WithReason>
        </Group>
      </form>
      <ProblemText problem={askQuestion.problem} />
      <div role="status">{result && <AskResultView result={result} botId={botId} />}</div>
    </Section>
  );
}

function AskResultView({
  result: { answer, chunks, question },
  botId,
}: {
  result: AskResult & { question: string };
  botId: string;
}) {
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600}>Quoted answer to “{question}”</Text>
        {answer ? (
          <Paper withBorder p="sm" mt={4}>
            <Text className="chunk">
              <MessageText text={answer.text} />
            </Text>
            <Text size="sm" c="dimmed" mt={4}>
              {answer.citations.map(({ n, title, heading }) => `[${n}] ${heading || title}`).join(' · ')}
            </Text>
          </Paper>
        ) : (
          <Text>
            No answer found. Add text or a question and answer that covers it, using the terms your visitors use.
          </Text>
        )}
      </div>
      <Text fw={600}>
        {chunks.length === 0 ? 'No excerpts found.' : `Matching excerpts, best first (${chunks.length})`}
      </Text>
      <ol className="rows">
        {chunks.map((chunk, at) => (
          <li key={at}>
            <Group gap="xs">
              <TextLink to={`/bots/${botId}/knowledge/${chunk.sourceId}?document=${chunk.documentId}`}>
                {chunk.heading || chunk.title || chunk.sourceName}
              </TextLink>
              <Text size="sm" c="dimmed">
                in {chunk.sourceName}, {Math.min(100, Math.round(chunk.score * 100))}% match
              </Text>
              {chunk.isQuoted && <Status tone="good">Quoted</Status>}
            </Group>
            <Group gap={4} my={4}>
              {chunk.matched.length > 0 ? (
                <>
                  <Text size="sm">Matched terms</Text>
                  {chunk.matched.map((term) => (
                    <Badge key={term} color="teal">
                      {term}
                    </Badge>
                  ))}
                </>
              ) : (
                <Text size="sm">No matched terms: found by meaning.</Text>
              )}
            </Group>
            <Text size="sm" className="chunk" lineClamp={6}>
              {chunk.text}
            </Text>
          </li>
        ))}
      </ol>
    </Stack>
  );
}
