import { Radio, Select, Stack, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section } from '@parley/portal-kit/ui';
import { Holidays } from './holidays.tsx';
import { WeeklyHours, workingWeek } from './weekly-hours.tsx';

type Hours = Schemas['BusinessHours'];
interface Props {
  hours: Hours;
  timeZones: string[];
  isDisabled: boolean;
  onChange(hours: Hours): void;
}

const replyTimes: [minutes: number, label: string][] = [
  [5, '5 minutes'],
  [15, '15 minutes'],
  [30, '30 minutes'],
  [60, '1 hour'],
  [240, '4 hours'],
  [1_440, '1 day'],
];

export function BusinessHours({ hours, timeZones, isDisabled, onChange }: Props) {
  const change = (part: Partial<Hours>) => onChange({ ...hours, ...part });
  const { weekly, timeZone, holidays, awayMessage, replyMinutes } = hours;
  const isCustom = replyMinutes !== null && !replyTimes.some(([minutes]) => minutes === replyMinutes);
  const options = isCustom ? [...replyTimes, [replyMinutes, `${replyMinutes} minutes`] as const] : replyTimes;
  return (
    <Section title="Business hours" description="When your team replies. Visitors see it in the widget.">
      <Radio.Group
        aria-label="Business hours"
        value={weekly ? 'weekly' : 'always'}
        onChange={(value) => change({ weekly: value === 'always' ? null : workingWeek })}
      >
        <Stack gap="xs">
          <Radio value="always" label="Always open" disabled={isDisabled} />
          <Radio value="weekly" label="Set hours for each day" disabled={isDisabled} />
        </Stack>
      </Radio.Group>
      {weekly && <WeeklyHours weekly={weekly} isDisabled={isDisabled} onChange={(next) => change({ weekly: next })} />}
      <Select
        label="Time zone"
        data={timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones]}
        value={timeZone}
        searchable
        allowDeselect={false}
        limit={100}
        disabled={isDisabled}
        onChange={(value) => value && change({ timeZone: value })}
        w={320}
        maw="100%"
      />
      <Holidays dates={holidays} isDisabled={isDisabled} onChange={(next) => change({ holidays: next })} />
      <Textarea
        label="Away message"
        description="Added to the bot’s message if a visitor asks for an agent while you’re closed. Leave blank for none."
        placeholder="We’re back on weekdays at 9 am. Leave your email, and we’ll reply there."
        value={awayMessage}
        maxLength={1_000}
        autosize
        minRows={2}
        maxRows={8}
        disabled={isDisabled}
        onChange={(event) => change({ awayMessage: event.currentTarget.value })}
        maw={640}
      />
      <Select
        label="Expected reply time"
        description="Shown in the widget while you’re open."
        data={[
          { value: '', label: 'Don’t show' },
          ...options.map(([minutes, label]) => ({ value: String(minutes), label })),
        ]}
        value={replyMinutes === null ? '' : String(replyMinutes)}
        allowDeselect={false}
        disabled={isDisabled}
        onChange={(value) => change({ replyMinutes: value ? Number(value) : null })}
        w={320}
        maw="100%"
      />
    </Section>
  );
}
