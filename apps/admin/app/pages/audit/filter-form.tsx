import { Button, Group, SimpleGrid } from '@mantine/core';
import { field } from '@parley/portal-kit/ui';
import type { FormEvent, ReactNode } from 'react';
import { useSearchParams } from 'react-router';

interface Props {
  filters: Record<string, string>;
  /** Query parameters to keep when the filters change. */
  baseParams?: Record<string, string>;
  children: ReactNode;
}

/** Filter fields stored in the URL, so that a result can be bookmarked and shared. */
export function FilterForm({ filters, baseParams = {}, children }: Props) {
  const [, setSearch] = useSearchParams();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = Object.keys(filters).map((name) => [name, field(form, name).trim()] as [string, string]);
    setSearch([...Object.entries(baseParams), ...values.filter(([, value]) => value)]);
  };
  return (
    // Remounts when the filters change, because the fields are uncontrolled.
    <form onSubmit={send} key={JSON.stringify(filters)} aria-label="Filters">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="xs">
        {children}
      </SimpleGrid>
      <Group gap="xs" mt="sm">
        <Button type="submit" variant="default">
          Apply filters
        </Button>
        {Object.values(filters).some(Boolean) && (
          <Button variant="subtle" onClick={() => setSearch(baseParams)}>
            Clear filters
          </Button>
        )}
      </Group>
    </form>
  );
}
