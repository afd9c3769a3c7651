import { Button, Group, SimpleGrid } from '@mantine/core';
import { field } from '@parley/portal-kit/ui';
import type { FormEvent, ReactNode } from 'react';
import { useSearchParams } from 'react-router';

interface Props {
  filters: Record<string, string>;
  /** What stands in the address, and no filter takes away. */
  kept?: Record<string, string>;
  children: ReactNode;
}

/** Fields whose values go into the address: what is found can be left, found again and shared. */
export function FilterForm({ filters, kept = {}, children }: Props) {
  const [, setSearch] = useSearchParams();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const wanted = Object.keys(filters).map((name) => [name, field(form, name).trim()] as [string, string]);
    setSearch([...Object.entries(kept), ...wanted.filter(([, value]) => value)]);
  };
  return (
    // Anew for other filters: the fields keep what they were given first.
    <form onSubmit={send} key={JSON.stringify(filters)} aria-label="Filters">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="xs">
        {children}
      </SimpleGrid>
      <Group gap="xs" mt="sm">
        <Button type="submit" variant="default">
          Apply filters
        </Button>
        {Object.values(filters).some(Boolean) && (
          <Button variant="subtle" onClick={() => setSearch(kept)}>
            Clear filters
          </Button>
        )}
      </Group>
    </form>
  );
}
