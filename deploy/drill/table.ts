/** Prints rows with aligned columns. */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [columns, ...rows];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const format = (row: readonly string[]) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  console.log(['', title, ...all.map(format), ''].join('\n'));
}

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Measures named steps. */
export function aStopwatch() {
  const steps: { name: string; ms: number }[] = [];
  return {
    steps,
    total: () => steps.reduce((sum, { ms }) => sum + ms, 0),
    step: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = Date.now();
      try {
        return await work();
      } finally {
        steps.push({ name, ms: Date.now() - startedAt });
        console.log(`drill: ${name}: ${seconds(Date.now() - startedAt)}`);
      }
    },
  };
}
export type Stopwatch = ReturnType<typeof aStopwatch>;
