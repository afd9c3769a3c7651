import { Button, Group, Paper, Text } from '@mantine/core';
import { api, call, ProblemText, useAction } from '@parley/portal-kit/ui';
import { IconFileText, IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';

interface Props {
  conversationId: string;
  canDraft: boolean;
  onDraft(text: string): void;
}

/** Drafts and summaries by a model. An agent reads, edits and sends a draft; nothing is sent automatically. */
export function Assist({ conversationId, canDraft, onDraft }: Props) {
  const [summary, setSummary] = useState<string>();
  const [message, setMessage] = useState<string | null>(null);
  const params = { path: { id: conversationId } };
  const draft = useAction(
    async () => {
      const result = await call(api.POST('/conversations/{id}/draft', { params }));
      setMessage(result.message);
      if (result.text !== null) onDraft(result.text);
    },
    { isQuiet: true },
  );
  const summarize = useAction(
    async () => {
      const result = await call(api.POST('/conversations/{id}/summary', { params }));
      setMessage(result.message);
      setSummary(result.text ?? undefined);
    },
    { isQuiet: true },
  );
  return (
    <>
      <Group gap={4}>
        {canDraft && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconSparkles size={14} aria-hidden />}
            loading={draft.isRunning}
            onClick={() => void draft.run()}
          >
            Draft with AI
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconFileText size={14} aria-hidden />}
          loading={summarize.isRunning}
          onClick={() => void summarize.run()}
        >
          Summarize
        </Button>
      </Group>
      <ProblemText problem={draft.problem ?? summarize.problem} />
      {message && (
        <Text size="xs" c="dimmed" role="status">
          {message}
        </Text>
      )}
      {summary && (
        <Paper withBorder p="sm" w="100%" role="status" aria-label="Summary">
          <Group justify="space-between" mb={4}>
            <Text size="xs" fw={600}>
              Summary by AI
            </Text>
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setSummary(undefined)}>
              Dismiss
            </Button>
          </Group>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {summary}
          </Text>
        </Paper>
      )}
    </>
  );
}
