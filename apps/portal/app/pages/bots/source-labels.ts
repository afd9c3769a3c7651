import type { Source } from './shape.ts';

export const kindWords: Record<Source['kind'], string> = {
  text: 'Text',
  url: 'Web page',
  sitemap: 'Sitemap',
  file: 'File',
  qa: 'Questions and answers',
};

export const scheduleChoices = [
  { value: 'none', label: 'Manually' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];
export type Schedule = Source['schedule'];
/** What lies elsewhere can change there; what you gave us cannot. */
export const hasSchedule = (kind: Source['kind']) => kind === 'url' || kind === 'sitemap';

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export function stateOf({ sync, documents, kind }: Source): { tone: Tone; word: string } {
  if (sync.state === 'syncing') return { tone: 'idle', word: 'Syncing' };
  if (sync.state === 'waiting')
    return {
      tone: 'idle',
      word: kind === 'file' && !sync.lastSyncedAt ? 'Waiting for file' : 'Waiting to sync',
    };
  if (sync.state === 'failed') return { tone: 'bad', word: 'Sync failed' };
  return documents.failed > 0 ? { tone: 'warn', word: 'Partly synced' } : { tone: 'good', word: 'Synced' };
}

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** What came of the last reading, in a sentence. */
export function resultOf({ chunks, documents }: Source): string {
  const found = `${counted(chunks, 'excerpt')} from ${counted(documents.ready, 'document')}`;
  return documents.failed > 0 ? `${found}; ${counted(documents.failed, 'document')} failed` : found;
}

/** A file that was never sent waits without end: it is watched for some minutes only. */
export const isMoving = ({ sync, kind, createdAt }: Source, now: number) =>
  sync.state === 'syncing' ||
  (sync.state === 'waiting' &&
    (kind !== 'file' || sync.lastSyncedAt !== null || now - Date.parse(createdAt) < 5 * 60_000));

export const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1).replace('.0', '')} MB`;
