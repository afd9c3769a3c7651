import { Button, Group, Input, Pill, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

interface Props {
  dates: string[];
  isDisabled: boolean;
  onChange(dates: string[]): void;
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** Days on which the team doesn't open. */
export function Holidays({ dates, isDisabled, onChange }: Props) {
  const [date, setDate] = useState('');
  const add = () => {
    onChange([...new Set([...dates, date])].toSorted());
    setDate('');
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <TextInput
          type="date"
          label="Holidays"
          description="Days on which you’re closed."
          value={date}
          disabled={isDisabled}
          onChange={(event) => setDate(event.currentTarget.value)}
          w={200}
        />
        <Button variant="default" disabled={isDisabled || date === '' || dates.length >= 100} onClick={add}>
          Add holiday
        </Button>
      </Group>
      {dates.length > 0 && (
        <Input.Wrapper>
          <Pill.Group>
            {dates.map((day) => (
              <Pill
                key={day}
                size="md"
                withRemoveButton={!isDisabled}
                removeButtonProps={{ 'aria-label': `Remove ${day}`, 'aria-hidden': false, tabIndex: 0 }}
                onRemove={() => onChange(dates.filter((one) => one !== day))}
              >
                {format.format(new Date(day))}
              </Pill>
            ))}
          </Pill.Group>
        </Input.Wrapper>
      )}
    </Stack>
  );
}
