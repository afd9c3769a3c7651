import { Button, FileInput, Group, List, Progress, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, fieldsOf, Problem, ProblemText, Section, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { SiteForm } from '../bots/add-site.tsx';
import { progressOf } from '../bots/source-labels.ts';
import { addFile } from '../bots/upload.ts';

type Source = Schemas['KnowledgeSource'];
type Kind = 'site' | 'file' | 'text';

const kinds = [
  { value: 'site', label: 'Website' },
  { value: 'file', label: 'File' },
  { value: 'text', label: 'Text' },
];

/** One source is enough to start with. A source shows its progress while it syncs. */
export function KnowledgeStep({ botId, sources, isOpen }: { botId: string; sources: Source[]; isOpen: boolean }) {
  const [kind, setKind] = useState<Kind>('site');
  const [file, setFile] = useState<File | null>(null);
  const [isAdding, setAdding] = useState(false);
  const add = useAction(async (form: HTMLFormElement) => {
    const { text = '' } = fieldsOf(form);
    if (kind === 'text') {
      const name = (/[^\s#].{0,60}/.exec(text)?.[0] ?? 'Text').trim(); // without the sign of a Markdown heading
      const body = { kind, name, text, schedule: 'none', language: null } as const;
      await call(api.POST('/bots/{botId}/knowledge-sources', { params: { path: { botId } }, body }));
    } else {
      if (!file) throw new Problem(0, { message: 'Choose a file first.' });
      await addFile(botId, file);
    }
    form.reset();
    setFile(null);
    setAdding(false);
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void add.run(event.currentTarget);
  };
  const isFormOpen =
    sources.length === 0 || isAdding || (isOpen && sources.every(({ sync }) => sync.state === 'failed'));

  return (
    <Section title="Add knowledge" description="Your bot answers from what you add here and cites its sources.">
      {sources.length > 0 && (
        <Stack gap="xs" aria-live="polite">
          {sources.map((source) => (
            <SourceLine key={source.id} botId={botId} source={source} />
          ))}
        </Stack>
      )}
      {isFormOpen ? (
        <Stack>
          <SegmentedControl
            value={kind}
            onChange={(value) => setKind(value as Kind)}
            data={kinds}
            aria-label="Source type"
            w="fit-content"
          />
          {kind === 'site' ? (
            <SiteForm
              botId={botId}
              onAdded={() => setAdding(false)}
              onCancel={isAdding ? () => setAdding(false) : undefined}
            />
          ) : (
            <form onSubmit={send}>
              <Stack>
                {kind === 'file' && (
                  <FileInput
                    label="File"
                    description="PDF, Word, HTML, Markdown or plain text, up to 25 MB."
                    value={file}
                    onChange={setFile}
                    clearable
                    placeholder="Choose a file"
                  />
                )}
                {kind === 'text' && (
                  <Textarea
                    name="text"
                    label="Text"
                    description="Opening hours, returns or anything visitors often ask. Headings help the bot find the right part."
                    required
                    autosize
                    minRows={5}
                    maxRows={14}
                  />
                )}
                <ProblemText problem={add.problem} />
                <Group gap="xs">
                  <Button type="submit" loading={add.isRunning}>
                    Add knowledge
                  </Button>
                  {isAdding && (
                    <Button variant="default" onClick={() => setAdding(false)}>
                      Cancel
                    </Button>
                  )}
                </Group>
              </Stack>
            </form>
          )}
        </Stack>
      ) : (
        <Group gap="sm">
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            Add another source
          </Button>
          <TextLink to={`/bots/${botId}/knowledge`}>View all knowledge</TextLink>
        </Group>
      )}
    </Section>
  );
}

function SourceLine({ botId, source }: { botId: string; source: Source }) {
  const { id, name, sync, chunks } = source;
  const isSyncing = sync.state === 'waiting' || sync.state === 'syncing';
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text truncate fw={500}>
          {name}
        </Text>
        {isSyncing && <Status tone="idle">Syncing</Status>}
        {sync.state === 'ready' && (
          <Status tone={chunks > 0 ? 'good' : 'warn'}>
            {chunks > 0 ? `Synced, ${chunks} ${chunks === 1 ? 'excerpt' : 'excerpts'}` : 'No content found'}
          </Status>
        )}
        {sync.state === 'failed' && <Status tone="bad">Sync failed</Status>}
      </Group>
      {isSyncing && (
        <Text size="sm" c="dimmed">
          {progressOf(source)}
        </Text>
      )}
      {isSyncing && (
        <Progress
          mt={6}
          aria-label={`Syncing ${name}`}
          value={sync.total > 0 ? Math.max(5, (100 * sync.done) / sync.total) : 100}
          animated={sync.total === 0}
        />
      )}
      {sync.error && (
        <List size="sm" mt={4}>
          <List.Item>
            {sync.error.message} <TextLink to={`/bots/${botId}/knowledge/${id}`}>View details</TextLink>
          </List.Item>
        </List>
      )}
    </div>
  );
}
