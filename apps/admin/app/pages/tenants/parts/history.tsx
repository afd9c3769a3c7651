import { List, Stack, Text } from '@mantine/core';
import { Ago, Empty, Pager, Section } from '@parley/portal-kit/ui';
import { actionWord, actorWord, changeWords, type Change } from '../labels.ts';

/** Who changed what, from what to what. */
export const History = ({ changes, nextCursor }: { changes: Change[]; nextCursor: string | null }) => (
  <Section title="History" about="Changes to the plan, limits, name and status, newest first.">
    {changes.length === 0 ? (
      <Empty title="No changes yet">Changes to the plan, limits or status appear here.</Empty>
    ) : (
      <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {changes.map((change) => (
          <li key={change.id}>
            <Text fw={600}>{actionWord(change.action)}</Text>
            <Text size="sm" c="dimmed">
              {actorWord(change.actor)}, <Ago at={change.createdAt} />
            </Text>
            {change.reason && <Text size="sm">Reason: {change.reason}</Text>}
            <List size="sm" style={{ overflowWrap: 'anywhere' }}>
              {change.changes.map((one) => (
                <List.Item key={one.name}>{changeWords(one)}</List.Item>
              ))}
            </List>
          </li>
        ))}
      </Stack>
    )}
    <Pager nextCursor={nextCursor} />
  </Section>
);
