import { Button, Group, TextInput } from '@mantine/core';
import { field } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useSearchParams } from 'react-router';

interface Props {
  tenantId: string;
  isWrong: boolean;
}

/** By the id that the tenant had: the receipt knows its hash. */
export function LookUp({ tenantId, isWrong }: Props) {
  const [, setSearch] = useSearchParams();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = field(event.currentTarget, 'tenantId').trim();
    setSearch(wanted ? { tenantId: wanted } : {});
  };
  return (
    <form onSubmit={send} key={tenantId} aria-label="Find a receipt">
      <Group align="flex-end" gap="xs">
        <TextInput
          name="tenantId"
          label="Tenant ID"
          placeholder="ten_…"
          defaultValue={tenantId}
          maxLength={80}
          flex="1 1 260px"
          maw={420}
          {...(isWrong && { error: 'A tenant ID starts with ten_ followed by 26 letters and digits.' })}
        />
        <Button type="submit" variant="default">
          Find
        </Button>
        {tenantId && (
          <Button variant="subtle" onClick={() => setSearch({})}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  );
}
