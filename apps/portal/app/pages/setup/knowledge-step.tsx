import {
  Button,
  FileInput,
  Group,
  List,
  Progress,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, fieldsOf, Problem, ProblemText, Section, Status, TextLink, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { addFile } from '../bots/upload.ts';

type Source = Schemas['KnowledgeSource'];
type Kind = 'url' | 'file' | 'text';

const kinds = [
  { value: 'url', label: 'Web page' },
  { value: 'file', label: 'File' },
  { value: 'text', label: 'Text' },
];

/** One source is enough to start with. A source shows its progress while it syncs. */
export function KnowledgeStep({ botId, sources, isOpen }: { botId: string; sources: Source[]; isOpen: boolean }) {
  const [kind, setKind] = useState<Kind>('url');
  const [file, setFile] = useState<File | null>(null);
  const [isAdding, setAdding] = useState(false);
  const add = useAction(async (form: HTMLFormElement) => {
    const { url = '', text = '' } = fieldsOf(form);
    const path = { botId };
    const common = { schedule: 'none', language: null } as const;
    if (kind === 'url') {
      const siteUrl = /^https?:\/\//i.test(url.trim()) ? url.trim() : `https://${url.trim()}`;
      const name = siteUrl.replace(/^https?:\/\//i, '').slice(0, 120);
      await call(
        api.POST('/bots/{botId}/knowledge-sources', {
          params: { path },
          body: { kind, name, url: siteUrl, ...common },
        }),
      );
    } else if (kind === 'text') {
      const name = (/[^\s#].{0,60}/.exec(text)?.[0] ?? 'Text').trim(); // without the sign of a Markdown heading
      await call(
        api.POST('/bots/{botId}/knowledge-sources', { params: { path }, body: { kind, name, text, ...common } }),
      );
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
        <form onSubmit={send}>
          <Stack>
            <SegmentedControl
              value={kind}
              onChange={(value) => setKind(value as Kind)}
              data={kinds}
              aria-label="Source type"
              w="fit-content"
            />
            {kind === 'url' && (
              <TextInput
                name="url"
                label="URL"
                placeholder="example.com/help"
                description="A single public page. You can add a whole website by its sitemap later, under Knowledge."
                required
              />
            )}
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

function SourceLine({ botId, source: { id, name, sync, chunks } }: { botId: string; source: Source }) {
  const isSyncing = sync.state === 'waiting' || sync.state === 'syncing';
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text truncate fw={500}>
          {name}
        </Text>
        {isSyncing && (
          <Status tone="idle">{sync.total > 0 ? `Syncing ${sync.done} of ${sync.total}` : 'Syncing'}</Status>
        )}
        {sync.state === 'ready' && (
          <Status tone={chunks > 0 ? 'good' : 'warn'}>
            {chunks > 0 ? `Synced, ${chunks} ${chunks === 1 ? 'excerpt' : 'excerpts'}` : 'No content found'}
          </Status>
        )}
        {sync.state === 'failed' && <Status tone="bad">Sync failed</Status>}
      </Group>
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
