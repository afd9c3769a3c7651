import { FileButton, Button, Progress, Stack, Text } from '@mantine/core';
import { Problem, ProblemText } from '@parley/portal-kit/ui';
import { IconUpload } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';
import { useRevalidator } from 'react-router';
import { acceptedFiles } from './upload.ts';

interface Sending {
  name: string;
  share: number;
  state: 'waiting' | 'sending' | 'sent' | 'refused';
  problem?: Problem;
}

interface Props {
  isMultiple: boolean;
  send(file: File, onProgress: (share: number) => void): Promise<void>;
  /** After the last one, if all were taken. */
  onSent(): void;
}

const words = { waiting: 'waiting', sending: 'uploading', sent: 'uploaded, now syncing', refused: 'upload failed' };

/** Files by dropping or by choosing, sent one after the other, each with its bar. */
export function DropZone({ isMultiple, send, onSent }: Props) {
  const [isOver, setOver] = useState(false);
  const [rows, setRows] = useState<Sending[]>([]);
  const { revalidate } = useRevalidator();
  const isBusy = rows.some(({ state }) => state === 'waiting' || state === 'sending');

  const take = async (files: File[]) => {
    const wanted = isMultiple ? files : files.slice(0, 1);
    if (wanted.length === 0 || isBusy) return;
    setRows(wanted.map(({ name }) => ({ name, share: 0, state: 'waiting' })));
    let isAllTaken = true;
    for (const [at, file] of wanted.entries()) {
      const notify = (part: Partial<Sending>) => setRows((now) => now.with(at, { ...now[at]!, ...part }));
      notify({ state: 'sending' });
      try {
        await send(file, (share) => notify({ share }));
        notify({ state: 'sent', share: 1 });
      } catch (error) {
        isAllTaken = false;
        const problem = error instanceof Problem ? error : new Problem(0, {});
        notify({ state: 'refused', problem });
      }
    }
    await revalidate();
    if (isAllTaken) onSent();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take([...event.dataTransfer.files]);
  };
  return (
    <Stack gap="sm">
      <div
        className="drop"
        {...(isOver && { 'data-over': true })}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Text>Drop {isMultiple ? 'files' : 'the file'} here, or</Text>
        <FileButton
          accept={acceptedFiles}
          multiple={isMultiple}
          onChange={(chosen: File | File[] | null) => void take(chosen ? [chosen].flat() : [])}
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
            {name}: {words[state]}
            {state === 'sending' && ` (${Math.round(share * 100)}%)`}
          </Text>
          {state === 'sending' && <Progress value={share * 100} aria-label={`Uploading ${name}`} />}
          <ProblemText problem={problem} />
        </Stack>
      ))}
    </Stack>
  );
}
