import { FileButton, Button, Progress, Stack, Text } from '@mantine/core';
import { Problem, ProblemText } from '@parley/portal-kit/ui';
import { IconUpload } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';
import { useRevalidator } from 'react-router';
import { acceptedFiles } from './upload.ts';

interface UploadRow {
  name: string;
  share: number;
  state: 'waiting' | 'sending' | 'sent' | 'failed';
  problem?: Problem;
}

interface Props {
  isMultiple: boolean;
  send(file: File, onProgress: (share: number) => void): Promise<void>;
  /** Called after the last file if all uploads succeeded. */
  onSent(): void;
}

const stateLabels = {
  waiting: 'waiting',
  sending: 'uploading',
  sent: 'uploaded, now syncing',
  failed: 'upload failed',
};

/** Uploads dropped or chosen files one by one, with a progress bar for each. */
export function DropZone({ isMultiple, send, onSent }: Props) {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const [rows, setRows] = useState<UploadRow[]>([]);
  const { revalidate } = useRevalidator();
  const isBusy = rows.some(({ state }) => state === 'waiting' || state === 'sending');

  const uploadAll = async (files: File[]) => {
    const selected = isMultiple ? files : files.slice(0, 1);
    if (selected.length === 0 || isBusy) return;
    setRows(selected.map(({ name }) => ({ name, share: 0, state: 'waiting' })));
    let hasAllSucceeded = true;
    for (const [at, file] of selected.entries()) {
      const update = (patch: Partial<UploadRow>) =>
        setRows((current) => current.with(at, { ...current[at]!, ...patch }));
      update({ state: 'sending' });
      try {
        await send(file, (share) => update({ share }));
        update({ state: 'sent', share: 1 });
      } catch (error) {
        hasAllSucceeded = false;
        const problem = error instanceof Problem ? error : new Problem(0, {});
        update({ state: 'failed', problem });
      }
    }
    await revalidate();
    if (hasAllSucceeded) onSent();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(false);
    void uploadAll([...event.dataTransfer.files]);
  };
  return (
    <Stack gap="sm">
      <div
        className="drop"
        {...(isDraggedOver && { 'data-over': true })}
        onDragOver={(event) => {
          event.preventDefault();
          setDraggedOver(true);
        }}
        onDragLeave={() => setDraggedOver(false)}
        onDrop={drop}
      >
        <Text>Drop {isMultiple ? 'files' : 'the file'} here, or</Text>
        <FileButton
          accept={acceptedFiles}
          multiple={isMultiple}
          onChange={(chosen: File | File[] | null) => void uploadAll(chosen ? [chosen].flat() : [])}
        >
          {(props) => (
            <Button {...props} mt="xs" disabled={isBusy} leftSection={<IconUpload size={16} aria-hidden />}>
              {isMultiple ? 'Choose files' : 'Choose file'}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed" mt="xs">
          PDF, Word (.docx), HTML, Markdown, plain text or CSV, up to 25 MB each.
        </Text>
      </div>
      {isBusy && (
        <Text role="status">
          Keep this page open until the upload is complete. Syncing continues in the background.
        </Text>
      )}
      {rows.map(({ name, share, state, problem }, at) => (
        <Stack key={at} gap={4}>
          <Text size="sm">
            {name}: {stateLabels[state]}
            {state === 'sending' && ` (${Math.round(share * 100)}%)`}
          </Text>
          {state === 'sending' && <Progress value={share * 100} aria-label={`Uploading ${name}`} />}
          <ProblemText problem={problem} />
        </Stack>
      ))}
    </Stack>
  );
}
