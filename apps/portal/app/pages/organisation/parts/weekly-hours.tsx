import { ActionIcon, Button, Checkbox, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { IconPlus, IconX } from '@tabler/icons-react';

type Weekly = NonNullable<Schemas['BusinessHours']['weekly']>;
type Interval = Weekly[number];

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const usual = { opens: '09:00', closes: '17:00' };
export const workingWeek: Weekly = days.slice(0, 5).map((day) => ({ day, ...usual }));

const nameOf = (day: string) => day.charAt(0).toUpperCase() + day.slice(1);

interface Props {
  weekly: Weekly;
  isDisabled: boolean;
  onChange(weekly: Weekly): void;
}

/** One row per day, each with any number of times. */
export function WeeklyHours({ weekly, isDisabled, onChange }: Props) {
  const timesOf = (day: Interval['day']) => weekly.filter((interval) => interval.day === day);
  const set = (day: Interval['day'], times: Weekly) =>
    onChange(days.flatMap((one) => (one === day ? times : timesOf(one))));
  return (
    <Stack gap="xs">
      {days.map((day) => (
        <Day key={day} day={day} times={timesOf(day)} isDisabled={isDisabled} onChange={(times) => set(day, times)} />
      ))}
      {weekly.length === 0 && (
        <Input.Error role="alert">Set hours for at least one day, or choose “Always open”.</Input.Error>
      )}
      <Text c="dimmed" size="sm">
        Closing at or before the opening time means the next day. For all day, use 00:00 to 00:00.
      </Text>
    </Stack>
  );
}

interface DayProps {
  day: Interval['day'];
  times: Weekly;
  isDisabled: boolean;
  onChange(times: Weekly): void;
}

function Day({ day, times, isDisabled, onChange }: DayProps) {
  const name = nameOf(day);
  const change = (at: number, part: Partial<Interval>) =>
    onChange(times.map((interval, n) => (n === at ? { ...interval, ...part } : interval)));
  return (
    <Group gap="sm" align="flex-start" role="group" aria-label={name} mih={36}>
      <Checkbox
        label={name}
        checked={times.length > 0}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked ? [{ day, ...usual }] : [])}
        w={128}
        mt={8}
      />
      {times.length === 0 && (
        <Text c="dimmed" mt={8}>
          Closed
        </Text>
      )}
      <Stack gap="xs">
        {times.map(({ opens, closes }, n) => (
          // The times of a day have no identity but their place.
          <Group key={n} gap="xs" wrap="nowrap">
            <Time
              label={`${name} opens`}
              value={opens}
              isDisabled={isDisabled}
              onChange={(value) => change(n, { opens: value })}
            />
            <Text aria-hidden>–</Text>
            <Time
              label={`${name} closes`}
              value={closes}
              isDisabled={isDisabled}
              onChange={(value) => change(n, { closes: value })}
            />
            {times.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${opens} to ${closes} on ${name}`}
                disabled={isDisabled}
                onClick={() => onChange(times.filter((_, at) => at !== n))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {times.length > 0 && times.length < 5 && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={6}
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={`Add hours on ${name}`}
          disabled={isDisabled}
          onClick={() => onChange([...times, { day, opens: '18:00', closes: '20:00' }])}
        >
          Add hours
        </Button>
      )}
    </Group>
  );
}

interface TimeProps {
  label: string;
  value: string;
  isDisabled: boolean;
  onChange(value: string): void;
}

const Time = ({ label, value, isDisabled, onChange }: TimeProps) => (
  <TextInput
    type="time"
    aria-label={label}
    value={value}
    required
    disabled={isDisabled}
    onChange={(event) => event.currentTarget.value && onChange(event.currentTarget.value)}
    w={114}
    styles={{ input: { paddingInline: 6 } }}
  />
);
