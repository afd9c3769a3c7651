import { Box, Center, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Suspense, type ReactNode } from 'react';
import { Drawing } from '../drawings.tsx';
import { Section } from '../page.tsx';

interface Props {
  title: string;
  /** One sentence on what is shown. */
  description?: string | undefined;
  /** The numbers for screen readers: the column titles, then one row per point. */
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  hasData: boolean;
  height: number;
  children: ReactNode;
}

/** The card around a chart. Charts are drawn in the browser, where their code is loaded on demand. */
export function ChartFrame({ title, description, columns, rows, hasData, height, children }: Props) {
  const isMounted = useMounted();
  const loading = <Skeleton h={height} />;
  return (
    <Section title={title} description={description}>
      {hasData ? (
        <Box component="figure" m={0} aria-label={title}>
          <div aria-hidden>{isMounted ? <Suspense fallback={loading}>{children}</Suspense> : loading}</div>
          <VisuallyHidden>
            <table>
              <thead>
                <tr>
                  {columns.map((column) => (
                    <th key={column}>{column}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row[0]}>
                    {row.map((cell, n) => (
                      <td key={columns[n]}>{cell}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </VisuallyHidden>
        </Box>
      ) : (
        <Center h={height}>
          <Stack align="center" gap={4}>
            <Drawing name="chart" width={90} />
            <Text c="dimmed">No data yet</Text>
          </Stack>
        </Center>
      )}
    </Section>
  );
}
