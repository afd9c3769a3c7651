import { Box } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { lazy, Suspense } from 'react';

const SparklineDrawing = lazy(async () => ({ default: (await import('./chart-library.tsx')).SparklineDrawing }));

interface Props {
  values: readonly number[];
  /** What the line shows, for screen readers. */
  label: string;
  width?: number;
  height?: number;
}

/** The shape of a series, in a table or next to a figure. */
export function Sparkline({ values, label, width = 96, height = 24 }: Props) {
  const isMounted = useMounted();
  return (
    <Box w={width} h={height} role="img" aria-label={label}>
      {isMounted && values.length > 1 && (
        <Suspense>
          <SparklineDrawing values={[...values]} width={width} height={height} />
        </Suspense>
      )}
    </Box>
  );
}
