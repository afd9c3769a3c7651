import { Button, Group, TextInput } from '@mantine/core';
import { field } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useSearchParams } from 'react-router';

interface Props {
  tenantId: string;
  isInvalid: boolean;
}

/** Finds receipts by tenant ID. Receipts store only its hash. */
export function ReceiptLookup({ tenantId, isInvalid }: Props) {
  const [, setSearch] = useSearchParams();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = field(event.currentTarget, 'tenantId').trim();
    setSearch(input ? { tenantId: input } : {});
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
          {...(isInvalid && { error: 'A tenant ID starts with ten_ followed by 26 letters and digits.' })}
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
