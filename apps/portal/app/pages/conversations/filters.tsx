import { Button, Collapse, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { useRef, type FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { stateChoices } from './states.ts';

const all = { value: '', label: 'All' };
const names = ['q', 'state', 'botId', 'assigneeId', 'rating', 'since', 'until', 'includeTests'] as const;

/** Filters are in the URL, so that they can be shared and survive a reload. */
export function Filters({ bots }: { bots: { id: string; name: string }[] }) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const me = useMe();
  const [isOpen, { toggle }] = useDisclosure(
    names.some((name) => name !== 'q' && name !== 'state' && search.has(name)),
  );
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([['/', () => field.current?.focus()]]);

  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!form.current) return;
    const params = new URLSearchParams();
    for (const [name, value] of new FormData(form.current))
      if (typeof value === 'string' && value.trim()) params.set(name, value.trim());
    void navigate(`/conversations?${params.toString()}`);
  };
  const choose = () => send();
  const value = (name: (typeof names)[number]) => search.get(name) ?? '';
  return (
    <form ref={form} onSubmit={send} role="search" key={search.toString()}>
      <Stack gap="xs">
        <TextInput
          ref={field}
          name="q"
          aria-label="Search conversations"
          placeholder="Search messages, email or ID (/)"
          defaultValue={value('q')}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
        />
        <Group gap="xs" wrap="nowrap">
          <NativeSelect
            name="state"
            aria-label="State"
            defaultValue={value('state')}
            onChange={choose}
            data={[{ ...all, label: 'All states' }, ...stateChoices]}
            flex={1}
          />
          <Button
            variant="default"
            px="xs"
            onClick={toggle}
            aria-expanded={isOpen}
            aria-controls="more-filters"
            leftSection={<IconFilter size={16} aria-hidden />}
          >
            Filters
          </Button>
        </Group>
        <Collapse expanded={isOpen} id="more-filters">
          <Stack gap="xs">
            <NativeSelect
              name="botId"
              label="Bot"
              defaultValue={value('botId')}
              onChange={choose}
              data={[all, ...bots.map(({ id, name }) => ({ value: id, label: name }))]}
            />
            <NativeSelect
              name="assigneeId"
              label="Assignee"
              defaultValue={value('assigneeId')}
              onChange={choose}
              data={[
                { ...all, label: 'Anyone' },
                { value: me.userId ?? '', label: 'Me' },
              ]}
            />
            <NativeSelect
              name="rating"
              label="Rating"
              defaultValue={value('rating')}
              onChange={choose}
              data={[
                { ...all, label: 'Any' },
                ...['1', '2', '3', '4', '5'].map((n) => ({ value: n, label: `${n} out of 5` })),
              ]}
            />
            <Group grow gap="xs">
              <TextInput name="since" type="date" label="From" defaultValue={value('since')} onChange={choose} />
              <TextInput name="until" type="date" label="To" defaultValue={value('until')} onChange={choose} />
            </Group>
            <NativeSelect
              name="includeTests"
              label="Test conversations"
              defaultValue={value('includeTests')}
              onChange={choose}
              data={[
                { value: '', label: 'Hidden' },
                { value: 'true', label: 'Shown' },
              ]}
            />
            <Button variant="subtle" size="compact-sm" onClick={() => void navigate('/conversations')}>
              Clear all filters
            </Button>
          </Stack>
        </Collapse>
      </Stack>
    </form>
  );
}
