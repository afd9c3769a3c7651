import { Anchor, Button, Code, Group, Table, Text } from '@mantine/core';
import { Ago, Avatar, Id, Rows, Snippet } from '@parley/portal-kit/ui';
import { Fragment, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { actorName, actionLabel, type Entry } from './audit-labels.ts';

export function AuditTable({ entries, names }: { entries: Entry[]; names: Record<string, string> }) {
  const [open, setOpen] = useState<string>();
  const [search] = useSearchParams();
  const filterBy = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    next.delete('cursor');
    next.set(name, value);
    return `?${next.toString()}`;
  };
  return (
    <Rows
      label="Audit log entries"
      columns={['Time', 'Actor', 'Action', 'Target', 'Details']}
      minWidth={760}
      hasActions
    >
      {entries.map((entry) => {
        const { id, action, actor, subjectId, createdAt } = entry;
        const isOpen = open === id;
        return (
          <Fragment key={id}>
            <Table.Tr>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Ago at={createdAt} />
              </Table.Td>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  {names[actor.id] && <Avatar name={names[actor.id] ?? ''} id={actor.id} size={24} />}
                  <span>
                    <Anchor component={Link} to={filterBy('actorId', actor.id)} title={`Filter by ${actor.id}`}>
                      {actorName(actor, names)}
                    </Anchor>{' '}
                    {!names[actor.id] && actor.type !== 'system' && <Id id={actor.id} />}
                  </span>
                </Group>
              </Table.Td>
              <Table.Td>
                <Text>{actionLabel(action)}</Text>
                <Code>{action}</Code>
              </Table.Td>
              <Table.Td>
                <Group gap={6} wrap="nowrap">
                  <Id id={subjectId} />
                  <Anchor
                    component={Link}
                    to={filterBy('subjectId', subjectId)}
                    size="sm"
                    aria-label={`Filter by ${subjectId}`}
                  >
                    Filter
                  </Anchor>
                </Group>
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-expanded={isOpen}
                  aria-label={`${isOpen ? 'Hide' : 'Show'} details: ${actionLabel(action) ?? action}`}
                  onClick={() => setOpen(isOpen ? undefined : id)}
                >
                  {isOpen ? 'Hide' : 'Show'}
                </Button>
              </Table.Td>
            </Table.Tr>
            {isOpen && (
              <Table.Tr>
                <Table.Td colSpan={5}>
                  <Details entry={entry} />
                </Table.Td>
              </Table.Tr>
            )}
          </Fragment>
        );
      })}
    </Rows>
  );
}

const Details = ({ entry }: { entry: Entry }) => (
  <>
    <Group gap="md" mb="xs">
      <span>
        Entry ID <Id id={entry.id} />
      </span>
      <span>
        Event ID <Id id={entry.eventId} />
      </span>
      <span>
        Actor ID <Code>{entry.actor.id}</Code>
      </span>
      {entry.requestId && (
        <span>
          Request ID <Code>{entry.requestId}</Code>
        </span>
      )}
    </Group>
    <Snippet label="Data">{JSON.stringify(entry.data, null, 2)}</Snippet>
  </>
);
