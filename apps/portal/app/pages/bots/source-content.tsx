import { NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { Routes } from '@parley/portal-kit/service';
import { api, call, SaveBar, Section, toast, trimmedField, useAction, useDirtyForm } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Filters, pathsOf } from './add-source.tsx';
import { DropZone } from './drop-zone.tsx';
import { languageChoices } from './languages.ts';
import { PairsEditor, filledPairs } from './pairs.tsx';
import type { Source, SourceContent } from './bot-data.ts';
import { hasSchedule, scheduleChoices, sizeOf, type Schedule } from './source-labels.ts';
import { toUrl } from './source-url.ts';
import { replaceFile } from './upload.ts';

type Change = NonNullable<Routes['/knowledge-sources/{id}']['PATCH']['input']['body']>;

interface Props {
  source: Source;
  content: SourceContent;
}

/** The content of the source. A change starts a sync. */
export function SourceContentForm(props: Props) {
  const form = useDirtyForm();
  return <Fields key={form.formKey} form={form} {...props} />;
}

function Fields({ source, content, form }: Props & { form: ReturnType<typeof useDirtyForm> }) {
  const [pairs, setPairs] = useState(content.kind === 'qa' ? content.pairs : []);
  const [schedule, setSchedule] = useState<Schedule>(source.schedule);
  const [language, setLanguage] = useState(source.language ?? 'auto');
  const [isEnabled, setEnabled] = useState(source.isEnabled);
  const reason = denialReason(useMe(), 'knowledge.manage', 'knowledge');
  const save = useAction((body: Change) =>
    call(api.PATCH('/knowledge-sources/{id}', { params: { path: { id: source.id } }, body })),
  );
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const markSaved = form.startSave();
    const value = (name: string) => trimmedField(fields, name);
    const changeByKind: Record<SourceContent['kind'], () => Change> = {
      text: () => ({ text: value('text') }),
      url: () => ({ url: toUrl(value('url')) }),
      site: () => ({ ...addressed(value), depth: Number(value('depth')) }),
      sitemap: () => addressed(value),
      file: () => ({}),
      qa: () => ({ pairs: filledPairs(pairs) }),
    };
    const saved = await save.run({
      name: value('name'),
      schedule,
      isEnabled,
      language: language === 'auto' ? null : language,
      ...changeByKind[content.kind](),
    });
    if (!saved) return;
    markSaved();
    toast({ message: 'Saved. New content is synced right away and used as soon as it’s ready.' });
  };
  const languages = languageChoices(source.language ? [source.language] : []).filter(({ value }) => value.length === 2);
  return (
    <Section title="Content">
      <form
        onSubmit={(event) => void send(event)}
        // A file is uploaded immediately.
        onChange={({ target }) => !(target instanceof HTMLInputElement && target.type === 'file') && form.onChange()}
      >
        <Stack gap="sm">
          <TextInput name="name" label="Name" defaultValue={source.name} maxLength={120} required />
          {hasUrl(content) && <TextInput name="url" label="URL" defaultValue={content.url} inputMode="url" required />}
          {content.kind === 'site' && (
            <NumberInput
              name="depth"
              label="Follow links"
              description="How many links away from the start page, at most."
              defaultValue={content.depth}
              min={0}
              max={10}
              allowDecimal={false}
              onChange={form.onChange}
              maw={200}
            />
          )}
          {(content.kind === 'site' || content.kind === 'sitemap') && (
            <Filters include={content.include.join('\n')} exclude={content.exclude.join('\n')} />
          )}
          {content.kind === 'text' && (
            <Textarea
              name="text"
              label="Text"
              description="Supports Markdown. Headings help the bot find the right part."
              defaultValue={content.text}
              autosize
              minRows={6}
              maxRows={24}
              maxLength={1_000_000}
              required
            />
          )}
          {content.kind === 'qa' && (
            <PairsEditor
              pairs={pairs}
              onChange={(changed) => {
                setPairs(changed);
                form.onChange();
              }}
            />
          )}
          {content.kind === 'file' && (
            <FileContent sourceId={source.id} content={content} isClosed={reason !== undefined} />
          )}
          <div className="pair">
            {hasSchedule(source.kind) && (
              <Select
                label="Sync schedule"
                data={scheduleChoices}
                value={schedule}
                onChange={(value) => {
                  setSchedule((value ?? 'none') as Schedule);
                  form.onChange();
                }}
                allowDeselect={false}
              />
            )}
            <Select
              label="Language"
              data={[{ value: 'auto', label: 'Auto-detect' }, ...languages]}
              value={language}
              onChange={(value) => {
                setLanguage(value ?? 'auto');
                form.onChange();
              }}
              allowDeselect={false}
              searchable
            />
          </div>
          <Switch
            label="Enabled"
            description="Takes effect the next time you publish."
            checked={isEnabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
          <SaveBar
            isDirty={form.isDirty}
            onDiscard={form.discard}
            isSaving={save.isRunning}
            problem={save.problem}
            reason={reason}
          />
        </Stack>
      </form>
    </Section>
  );
}

/** The URL and filters in the form. */
const addressed = (value: (name: string) => string) => ({
  url: toUrl(value('url')),
  include: pathsOf(value('include')),
  exclude: pathsOf(value('exclude')),
});

const hasUrl = (content: SourceContent) =>
  content.kind === 'url' || content.kind === 'site' || content.kind === 'sitemap';

interface FileProps {
  sourceId: string;
  content: Extract<SourceContent, { kind: 'file' }>;
  isClosed: boolean;
}

const FileContent = ({ sourceId, content, isClosed }: FileProps) => (
  <>
    <Text>
      {content.bytes === null
        ? `“${content.fileName}” hasn’t been uploaded yet. Upload it now.`
        : `“${content.fileName}”, ${sizeOf(content.bytes)}. Uploading another file replaces it.`}
    </Text>
    {!isClosed && (
      <DropZone
        isMultiple={false}
        send={(file, onProgress) => replaceFile(sourceId, file, onProgress)}
        onSent={() => undefined}
      />
    )}
  </>
);
