import { Button } from '@mantine/core';
import { csvOf } from '@parley/portal-kit/ui';
import { IconDownload } from '@tabler/icons-react';
import { actorName, actionLabel, type Entry } from './audit-labels.ts';

const head = ['time', 'actor', 'actor_type', 'actor_id', 'action', 'description', 'subject_id', 'request_id', 'data'];
export const toCsv = (entries: Entry[], names: Record<string, string>): string =>
  [
    head,
    ...entries.map(({ createdAt, actor, action, subjectId, requestId, data }) => [
      createdAt,
      actorName(actor, names),
      actor.type,
      actor.id,
      action,
      actionLabel(action) ?? '',
      subjectId,
      requestId ?? '',
      JSON.stringify(data),
    ]),
  ]
    .map(csvOf)
    .join('\r\n');

export function DownloadCsv({ entries, names }: { entries: Entry[]; names: Record<string, string> }) {
  const download = () => {
    const url = URL.createObjectURL(new Blob([toCsv(entries, names)], { type: 'text/csv;charset=utf-8' }));
    Object.assign(document.createElement('a'), { href: url, download: 'audit-log.csv' }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={16} aria-hidden />} onClick={download}>
      Download this page as CSV
    </Button>
  );
}
