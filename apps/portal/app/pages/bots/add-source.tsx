import { Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { Routes } from '@parley/portal-kit/service';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { SiteForm } from './add-site.tsx';
import { DropZone } from './drop-zone.tsx';
import { emptyPair, PairsEditor, filledPairs } from './pairs.tsx';
import type { Source } from './bot-data.ts';
import { hasSchedule, scheduleChoices, type Schedule } from './source-labels.ts';
import { shortOf, toUrl } from './source-url.ts';
import { addFile } from './upload.ts';

type NewSource = Routes['/bots/{botId}/knowledge-sources']['POST']['input']['body'];
type Kind = Source['kind'];

const titles: Record<Kind, string> = {
  site: 'Add a website',
  url: 'Add a web page',
  sitemap: 'Add a website by its sitemap',
  file: 'Add files',
  text: 'Add text',
  qa: 'Add questions and answers',
};

interface Props {
  botId: string;
  kind: Kind | undefined;
  onClose(): void;
}

export const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Adds a missing leading slash. */
export const pathsOf = (text: string) => toLines(text).map((line) => (line.startsWith('/') ? line : `/${line}`));

export function AddSource({ botId, kind, onClose }: Props) {
  return (
    <Dialog isOpen={kind !== undefined} onClose={onClose} title={kind ? titles[kind] : ''} size="lg">
      {kind === 'file' && (
        <DropZone isMultiple send={(file, onProgress) => addFile(botId, file, onProgress)} onSent={onClose} />
      )}
      {kind === 'site' && <SiteForm botId={botId} onAdded={onClose} onCancel={onClose} />}
      {kind && kind !== 'file' && kind !== 'site' && <Fields key={kind} botId={botId} kind={kind} onClose={onClose} />}
    </Dialog>
  );
}

function Fields({ botId, kind, onClose }: { botId: string; kind: Exclude<Kind, 'file' | 'site'>; onClose(): void }) {
  const [pairs, setPairs] = useState([emptyPair]);
  const [schedule, setSchedule] = useState<Schedule>('none');
  const add = useAction(async (body: NewSource) => {
    await call(api.POST('/bots/{botId}/knowledge-sources', { params: { path: { botId } }, body }));
    onClose();
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const value = (name: string) => trimmedField(form, name);
    const url = toUrl(value('url'));
    const common = { name: value('name') || shortOf(url), schedule, language: null };
    const bodies: Record<typeof kind, () => NewSource> = {
      url: () => ({ ...common, kind: 'url', url }),
      sitemap: () => ({
        ...common,
        kind: 'sitemap',
        url,
        include: toLines(value('include')),
        exclude: toLines(value('exclude')),
      }),
      text: () => ({ ...common, kind: 'text', text: value('text') }),
      qa: () => ({ ...common, kind: 'qa', pairs: filledPairs(pairs) }),
    };
    void add.run(bodies[kind]());
  };
  const isRemote = hasSchedule(kind);
  return (
    <form onSubmit={send}>
      <Stack>
        {isRemote && (
          <TextInput
            name="url"
            label={kind === 'url' ? 'Page URL' : 'Sitemap URL'}
            description={
              kind === 'url'
                ? 'A single public page. Links on it aren’t followed.'
                : 'Usually https://example.com/sitemap.xml. Every page it lists is synced.'
            }
            inputMode="url"
            autoComplete="off"
            required
            data-autofocus
          />
        )}
        <TextInput
          name="name"
          label={isRemote ? 'Name (optional)' : 'Name'}
          description="Helps you find the source. Visitors may see it next to an answer."
          required={!isRemote}
          maxLength={120}
          autoComplete="off"
          {...(!isRemote && { 'data-autofocus': true })}
        />
        {kind === 'sitemap' && <Filters />}
        {kind === 'text' && (
          <Textarea
            name="text"
            label="Text"
            description="Supports Markdown. Headings help the bot find the right part."
            autosize
            minRows={8}
            maxRows={20}
            maxLength={1_000_000}
            required
          />
        )}
        {kind === 'qa' && <PairsEditor pairs={pairs} onChange={setPairs} />}
        {isRemote && (
          <Select
            label="Sync schedule"
            data={scheduleChoices}
            value={schedule}
            onChange={(value) => setSchedule((value ?? 'none') as Schedule)}
            allowDeselect={false}
          />
        )}
        <ProblemText problem={add.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isRunning} disabled={kind === 'qa' && filledPairs(pairs).length === 0}>
            Add source
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export const Filters = ({ include = '', exclude = '' }: { include?: string; exclude?: string }) => (
  <div className="pair">
    <Textarea
      name="include"
      label="Only these paths (optional)"
      description="Path prefixes, one per line, for example /help/."
      defaultValue={include}
      autosize
      minRows={2}
    />
    <Textarea
      name="exclude"
      label="Exclude these paths (optional)"
      description="Path prefixes, one per line, for example /blog/."
      defaultValue={exclude}
      autosize
      minRows={2}
    />
  </div>
);
