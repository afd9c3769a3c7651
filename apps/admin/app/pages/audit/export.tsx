import { Button, Group, Text } from '@mantine/core';
import { csvOf, ProblemText, useAction } from '@parley/portal-kit/ui';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';

interface ResultPage<T> {
  data: T[];
  nextCursor: string | null;
}
interface Props<T> {
  name: string;
  columns: string[];
  toRow(entry: T): string[];
  /** Fetches the next page. */
  next(cursor: string | undefined): Promise<ResultPage<T>>;
}
interface Result {
  entries: number;
  isComplete: boolean;
  isStopped: boolean;
}

/** More entries don't fit into browser memory. Larger logs are exported in several files, filtered by time. */
const maxEntries = 500_000;

/** Exports all entries that match the filters, page by page, to a file. Shows progress and can be stopped. */
export function Export<T>({ name, columns, toRow, next }: Props<T>) {
  const [count, setCount] = useState<number>();
  const isStopped = useRef(false);
  const exportFile = useAction(
    async (format: 'csv' | 'jsonl') => {
      isStopped.current = false;
      setCount(0);
      const lines: string[] = format === 'csv' ? [csvOf(columns)] : [];
      let cursor: string | undefined;
      let entries = 0;
      do {
        const page: ResultPage<T> = await next(cursor);
        lines.push(...page.data.map((entry) => (format === 'csv' ? csvOf(toRow(entry)) : JSON.stringify(entry))));
        entries += page.data.length;
        setCount(entries);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && !isStopped.current && entries < maxEntries);
      if (!isStopped.current) save(`${name}.${format}`, lines, format === 'csv' ? 'text/csv' : 'application/x-ndjson');
      return { entries, isComplete: cursor === undefined, isStopped: isStopped.current };
    },
    { isQuiet: true },
  );
  const [done, setDone] = useState<Result>();
  const run = async (format: 'csv' | 'jsonl') => {
    setDone(undefined);
    setDone(await exportFile.run(format));
  };
  return (
    <div>
      <Group gap="xs">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            size="xs"
            disabled={exportFile.isRunning}
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => void run(format)}
          >
            {format === 'csv' ? 'Export CSV' : 'Export JSONL'}
          </Button>
        ))}
        {exportFile.isRunning && (
          <Button size="xs" variant="subtle" onClick={() => (isStopped.current = true)}>
            Stop
          </Button>
        )}
      </Group>
      <Text role="status" size="sm" mt={4}>
        {exportFile.isRunning && `${(count ?? 0).toLocaleString('en-GB')} entries exported so far…`}
        {!exportFile.isRunning && done && describeExport(done)}
      </Text>
      <ProblemText problem={exportFile.problem} />
    </div>
  );
}

function describeExport({ entries, isComplete, isStopped }: Result): string {
  const count = entries.toLocaleString('en-GB');
  if (isStopped) return `Export stopped after ${count} entries. No file was saved.`;
  return isComplete
    ? `Exported ${count} entries.`
    : `Exported the latest ${count} entries. To get older ones, set an earlier end date and export again.`;
}

function save(file: string, lines: string[], type: string) {
  const url = URL.createObjectURL(new Blob([lines.join('\r\n')], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement('a'), { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}
