import type { Source } from './bot-data.ts';

export const kindLabels: Record<Source['kind'], string> = {
  text: 'Text',
  url: 'Web page',
  site: 'Website',
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
/** Only external sources can change on their own. */
export const hasSchedule = (kind: Source['kind']) => kind === 'url' || kind === 'site' || kind === 'sitemap';

type Tone = 'good' | 'warn' | 'bad' | 'idle';

export function stateOf({ sync, documents, kind }: Source): { tone: Tone; label: string } {
  if (sync.state === 'syncing') return { tone: 'idle', label: 'Syncing' };
  if (sync.state === 'waiting')
    return {
      tone: 'idle',
      label: kind === 'file' && !sync.lastSyncedAt ? 'Waiting for file' : 'Waiting to sync',
    };
  if (sync.state === 'failed') return { tone: 'bad', label: 'Sync failed' };
  return documents.failed > 0 ? { tone: 'warn', label: 'Partly synced' } : { tone: 'good', label: 'Synced' };
}

export const pluralize = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** A rough time: seconds matter to no one here. */
export function durationOf(seconds: number): string {
  if (seconds < 90) return 'a minute';
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} minutes`;
  return pluralize(Math.round(seconds / 3_600), 'hour');
}

const unitOf = (kind: Source['kind']) => (kind === 'site' || kind === 'sitemap' ? 'page' : 'document');

/** How far a sync is. */
export function progressOf({ sync, kind }: Source): string {
  if (sync.total === 0) return 'Finding content.';
  const left = sync.secondsLeft === null ? '' : `, about ${durationOf(sync.secondsLeft)} left`;
  return `${sync.done} of ${pluralize(sync.total, unitOf(kind))} processed${left}.`;
}

/** The result of the last sync. */
export function resultOf({ chunks, documents, kind }: Source): string {
  const content = `${pluralize(chunks, 'excerpt')} from ${pluralize(documents.ready, unitOf(kind))}`;
  return documents.failed > 0 ? `${content}; ${pluralize(documents.failed, unitOf(kind))} failed` : content;
}

/** An interrupted upload stays in "waiting", so new files are polled for a few minutes only. */
export const isInProgress = ({ sync, kind, createdAt }: Source, now: number) =>
  sync.state === 'syncing' ||
  (sync.state === 'waiting' &&
    (kind !== 'file' || sync.lastSyncedAt !== null || now - Date.parse(createdAt) < 5 * 60_000));

export const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1).replace('.0', '')} MB`;
