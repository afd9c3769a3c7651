import { Box, Group, Paper, Skeleton, Stack } from '@mantine/core';

const rows = [0, 1, 2, 3, 4, 5];

/** The outline of a page while its data is loading. */
export const PageSkeleton = () => (
  <Stack gap="lg" maw={1_200} mx="auto" role="status" aria-label="Loading page">
    <Group justify="space-between">
      <Skeleton h={28} w={180} />
      <Skeleton h={32} w={120} />
    </Group>
    <TableSkeleton />
  </Stack>
);

/** The outline of a table. */
const TableSkeleton = () => (
  <Paper withBorder>
    {rows.map((row) => (
      <Box key={row} className="skeleton-row" px="md" py="sm">
        <Group wrap="nowrap" justify="space-between">
          <Skeleton h={14} w={`${34 - row * 3}%`} />
          <Skeleton h={14} w="12%" />
          <Skeleton h={14} w="10%" />
        </Group>
      </Box>
    ))}
  </Paper>
);
