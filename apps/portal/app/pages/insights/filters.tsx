import { Button, Group, TextInput } from '@mantine/core';
import { FilterChips, useChangedSearch } from '@parley/portal-kit/ui';
import { Link, useSearchParams } from 'react-router';
import { channelLabels, languageLabel } from './labels.ts';
import { day, type Range } from './range.ts';

interface Props {
  today: string;
  range: Range;
  bots: { id: string; name: string }[];
  languages: string[];
}

/** Period and filters, all in the URL. */
export function Filters({ today, range: { from, to }, bots, languages }: Props) {
  const [, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  const change = (params: Record<string, string>) =>
    setSearch(changed({ from, to, ...params }), { preventScrollReset: true });
  const firstOf = (days: number) => day(Date.parse(today) - (days - 1) * 86_400_000);
  return (
    <Group align="flex-end" justify="space-between" gap="sm">
      <Group gap="xs" align="flex-end">
        <Button.Group>
          {[7, 30, 90].map((days) => {
            const isCurrent = to === today && from === firstOf(days);
            return (
              <Button
                key={days}
                component={Link}
                to={`?${changed({ from: firstOf(days), to: today }).toString()}`}
                variant={isCurrent ? 'light' : 'default'}
                size="sm"
                {...(isCurrent && { 'aria-current': 'true' as const })}
              >
                {days} days
              </Button>
            );
          })}
        </Button.Group>
        <TextInput
          type="date"
          aria-label="From"
          value={from}
          max={to}
          onChange={(event) => event.currentTarget.value && change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          aria-label="To"
          value={to}
          min={from}
          onChange={(event) => event.currentTarget.value && change({ to: event.currentTarget.value })}
        />
      </Group>
      <FilterChips
        filters={[
          { name: 'botId', label: 'Bot', options: bots.map(({ id, name }) => ({ value: id, label: name })) },
          {
            name: 'channel',
            label: 'Channel',
            options: Object.entries(channelLabels).map(([value, label]) => ({ value, label })),
          },
          {
            name: 'language',
            label: 'Language',
            options: languages.map((value) => ({ value, label: languageLabel(value) })),
          },
        ]}
      />
    </Group>
  );
}
