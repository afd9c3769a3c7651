import { List, Stack, Text } from '@mantine/core';
import { Ago, Empty, Pager, Section } from '@parley/portal-kit/ui';
import { actionLabel, actorLabel, describeChange, type Change } from '../labels.ts';

/** Plan changes, with actor and values. */
export const History = ({ changes, nextCursor }: { changes: Change[]; nextCursor: string | null }) => (
  <Section title="History" description="Changes to the plan, limits, name and status, newest first.">
    {changes.length === 0 ? (
      <Empty title="No changes yet" drawing="list">
        Changes to the plan, limits or status appear here.
      </Empty>
    ) : (
      <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {changes.map((change) => (
          <li key={change.id}>
            <Text fw={600}>{actionLabel(change.action)}</Text>
            <Text size="sm" c="dimmed">
              {actorLabel(change.actor)}, <Ago at={change.createdAt} />
            </Text>
            {change.reason && <Text size="sm">Reason: {change.reason}</Text>}
            <List size="sm" style={{ overflowWrap: 'anywhere' }}>
              {change.changes.map((one) => (
                <List.Item key={one.name}>{describeChange(one)}</List.Item>
              ))}
            </List>
          </li>
        ))}
      </Stack>
    )}
    <Pager nextCursor={nextCursor} />
  </Section>
);
