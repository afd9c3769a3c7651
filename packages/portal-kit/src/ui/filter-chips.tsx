import { Button, CloseButton, Group, Menu } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useChangedSearch } from './changed-search.ts';

interface Filter {
  /** The parameter in the URL. */
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

interface Props {
  filters: readonly Filter[];
  /** Of many filters, only this many and those in use are shown until the others are asked for. */
  maxShown?: number;
}

/** Filters that are kept in the URL, so that a filtered list can be bookmarked and shared. */
export function FilterChips({ filters, maxShown }: Props) {
  const max = maxShown ?? filters.length;
  const [showsAll, setShowsAll] = useState(false);
  const [search, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  const change = (changes: Record<string, string | undefined>) =>
    setSearch(changed(changes), { preventScrollReset: true });
  const active = filters.filter(({ name }) => search.has(name));
  const shown = filters.filter(({ name }, n) => showsAll || n < max || search.has(name));
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {shown.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={search.get(filter.name)}
          onChange={(value) => change({ [filter.name]: value })}
        />
      ))}
      {filters.length > max && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={showsAll}
          onClick={() => setShowsAll((isShown) => !isShown)}
        >
          {showsAll ? 'Fewer filters' : 'More filters'}
        </Button>
      )}
      {active.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}

interface ChipProps {
  filter: Filter;
  value: string | null;
  onChange(value: string | undefined): void;
}

function Chip({ filter: { label, options }, value, onChange }: ChipProps) {
  const current = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Group gap={0} wrap="nowrap" className="chip" data-active={value !== null}>
      <Menu position="bottom-start" withinPortal>
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="transparent"
            color="gray"
            c="inherit"
            rightSection={value === null && <IconChevronDown size={14} aria-hidden />}
          >
            {value === null ? label : `${label}: ${current}`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {options.map((option) => (
            <Menu.Item
              key={option.value}
              onClick={() => onChange(option.value)}
              rightSection={option.value === value && <IconCheck size={14} aria-hidden />}
            >
              {option.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {value !== null && (
        <CloseButton size="sm" aria-label={`Remove filter: ${label}`} onClick={() => onChange(undefined)} />
      )}
    </Group>
  );
}
