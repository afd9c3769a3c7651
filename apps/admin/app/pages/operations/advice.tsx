import { Code, Stack, Text } from '@mantine/core';

/** Recommended steps, each with its heading in the runbook. */
export const Advice = ({ advice }: { advice: readonly { name: string; text: string }[] }) =>
  advice.length === 0 ? null : (
    <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {advice.map(({ name, text }) => (
        <Text key={name} component="li" size="sm" maw={720}>
          {text}{' '}
          <Text span c="dimmed" size="xs">
            Runbook: <Code>{name}</Code>
          </Text>
        </Text>
      ))}
    </Stack>
  );
