import { expect, test } from 'vitest';
import { countVersions } from './labels.ts';

const aProcess = (version: string, startedAt: string) => ({
  id: `${version} ${startedAt}`,
  role: 'api' as const,
  host: 'a',
  pid: 1,
  version,
  apiVersion: '2026-11-14',
  startedAt,
  masterKeys: [],
});

test('counts the processes of each version, with the version that started last first', () => {
  const processes = [
    aProcess('0.2.0', '2026-11-01T00:00:00.000Z'),
    aProcess('0.1.0', '2026-11-02T00:00:00.000Z'), // a rollback: the older version is the one that is rolled out
    aProcess('0.2.0', '2026-11-01T00:00:05.000Z'),
  ];
  expect(countVersions(processes)).toEqual([
    { version: '0.1.0', count: 1 },
    { version: '0.2.0', count: 2 },
  ]);
  expect(countVersions(processes.slice(0, 1))).toHaveLength(1);
});
