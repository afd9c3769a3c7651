import type { Source } from './shape.ts';

export const kindWords: Record<Source['kind'], string> = {
  text: 'Text',
  url: 'Web page',
  sitemap: 'Sitemap',
  file: 'File',
  qa: 'Questions and answers',
};

export const scheduleChoices = [
  { value: 'none', label: 'Only when you ask' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
];
export type Schedule = Source['schedule'];
/** What lies elsewhere can change there; what you gave us cannot. */
export const hasSchedule = (kind: Source['kind']) => kind === 'url' || kind === 'sitemap';

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export function stateOf({ sync, documents, kind }: Source): { tone: Tone; word: string } {
  if (sync.state === 'syncing') return { tone: 'idle', word: 'Being read' };
  if (sync.state === 'waiting')
    return {
      tone: 'idle',
      word: kind === 'file' && !sync.lastSyncedAt ? 'Waiting for its file' : 'Waiting to be read',
    };
  if (sync.state === 'failed') return { tone: 'bad', word: 'Could not be read' };
  return documents.failed > 0 ? { tone: 'warn', word: 'Read in part' } : { tone: 'good', word: 'Read' };
}

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** What came of the last reading, in a sentence. */
export function resultOf({ passages, documents }: Source): string {
  const found = `${counted(passages, 'passage')} from ${counted(documents.ready, 'document')}`;
  return documents.failed > 0 ? `${found}; ${counted(documents.failed, 'document')} could not be read` : found;
}

/** A file that was never sent waits without end: it is watched for some minutes only. */
export const isMoving = ({ sync, kind, createdAt }: Source, now: number) =>
  sync.state === 'syncing' ||
  (sync.state === 'waiting' &&
    (kind !== 'file' || sync.lastSyncedAt !== null || now - Date.parse(createdAt) < 5 * 60_000));
