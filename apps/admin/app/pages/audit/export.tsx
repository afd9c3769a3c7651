import { Button, Group, Text } from '@mantine/core';
import { csvOf, ProblemText, useAction } from '@parley/portal-kit/ui';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';

interface Part<T> {
  data: T[];
  nextCursor: string | null;
}
interface Props<T> {
  name: string;
  heads: string[];
  toRow(entry: T): string[];
  /** One part of it after another. */
  next(cursor: string | undefined): Promise<Part<T>>;
}

/** More than this does not fit into the memory of a browser: then filter by time, and take it away in several files. */
const maxEntries = 500_000;

/** Everything that fits the filters, part after part, as a file. Says how far it is, and can be stopped. */
export function Export<T>({ name, heads, toRow, next }: Props<T>) {
  const [count, setCount] = useState<number>();
  const isStopped = useRef(false);
  const take = useAction(
    async (format: 'csv' | 'jsonl') => {
      isStopped.current = false;
      setCount(0);
      const lines: string[] = format === 'csv' ? [csvOf(heads)] : [];
      let cursor: string | undefined;
      let entries = 0;
      do {
        const part: Part<T> = await next(cursor);
        lines.push(...part.data.map((entry) => (format === 'csv' ? csvOf(toRow(entry)) : JSON.stringify(entry))));
        entries += part.data.length;
        setCount(entries);
        cursor = part.nextCursor ?? undefined;
      } while (cursor !== undefined && !isStopped.current && entries < maxEntries);
      if (!isStopped.current) save(`${name}.${format}`, lines, format === 'csv' ? 'text/csv' : 'application/x-ndjson');
      return { entries, isWhole: cursor === undefined };
    },
    { isQuiet: true },
  );
  const [done, setDone] = useState<{ entries: number; isWhole: boolean }>();
  const run = async (format: 'csv' | 'jsonl') => {
    setDone(undefined);
    setDone(await take.run(format));
  };
  return (
    <div>
      <Group gap="xs">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            size="xs"
            disabled={take.isRunning}
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => void run(format)}
          >
            {format === 'csv' ? 'Export CSV' : 'Export JSONL'}
          </Button>
        ))}
        {take.isRunning && (
          <Button size="xs" variant="subtle" onClick={() => (isStopped.current = true)}>
            Stop
          </Button>
        )}
      </Group>
      <Text role="status" size="sm" mt={4}>
        {take.isRunning && `${(count ?? 0).toLocaleString('en-GB')} entries exported so far…`}
        {!take.isRunning && done && sentence(done, isStopped.current)}
      </Text>
      <ProblemText problem={take.problem} />
    </div>
  );
}

function sentence({ entries, isWhole }: { entries: number; isWhole: boolean }, isStopped: boolean): string {
  const n = entries.toLocaleString('en-GB');
  if (isStopped) return `Export stopped after ${n} entries. No file was saved.`;
  return isWhole
    ? `Exported ${n} entries.`
    : `Exported the latest ${n} entries. To get older ones, set an earlier end date and export again.`;
}

function save(file: string, lines: string[], type: string) {
  const url = URL.createObjectURL(new Blob([lines.join('\r\n')], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement('a'), { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}
