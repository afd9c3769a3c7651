import { field } from '@parley/portal-kit/ui';
import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useSearchParams } from 'react-router';
import { knownActions } from './audit-labels.ts';

export type Filters = Record<'action' | 'actorId' | 'subjectId' | 'since' | 'until', string>;

export function AuditFilters({ filters, names }: { filters: Filters; names: Record<string, string> }) {
  const [, setSearch] = useSearchParams();
  const isFiltered = Object.values(filters).some(Boolean);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.keys(filters).map((name) => [name, field(form, name).trim()] as [string, string]);
    setSearch(values.filter(([, value]) => value));
  };
  const listed = knownActions.some(({ value }) => value === filters.action);
  const actions =
    filters.action && !listed ? [{ value: filters.action, label: filters.action }, ...knownActions] : knownActions;
  const people = Object.entries(names).map(([value, label]) => ({ value, label }));
  const actors =
    filters.actorId && !names[filters.actorId]
      ? [{ value: filters.actorId, label: filters.actorId }, ...people]
      : people;
  return (
    // Remounts when the filters change, because the fields are uncontrolled.
    <form onSubmit={send} key={JSON.stringify(filters)} aria-label="Filters">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 5 }} spacing="xs">
        <Select
          name="action"
          label="Action"
          data={actions}
          defaultValue={filters.action || null}
          placeholder="Any"
          searchable
          clearable
        />
        <Select
          name="actorId"
          label="Actor"
          data={actors}
          defaultValue={filters.actorId || null}
          placeholder="Any"
          searchable
          clearable
        />
        <TextInput
          name="subjectId"
          label="Target"
          placeholder="bot_… or any other ID"
          defaultValue={filters.subjectId}
          maxLength={80}
        />
        <TextInput name="since" type="date" label="From (UTC)" defaultValue={filters.since} />
        <TextInput name="until" type="date" label="To (UTC)" defaultValue={filters.until} />
      </SimpleGrid>
      <Group gap="xs" mt="sm">
        <Button type="submit" variant="default">
          Apply filters
        </Button>
        {isFiltered && (
          <Button variant="subtle" onClick={() => setSearch({})}>
            Clear filters
          </Button>
        )}
      </Group>
    </form>
  );
}
