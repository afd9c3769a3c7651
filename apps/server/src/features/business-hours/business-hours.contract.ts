import { z } from 'zod';

const Day = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
export const days = Day.options;

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:00.');

const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]/, 'Must be a time zone such as Europe/Berlin.')
  .refine(isTimeZone, 'Must be a time zone such as Europe/Berlin.');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const BusinessHours = z
  .strictObject({
    timeZone: TimeZone.meta({ description: 'An IANA time zone.', format: 'time-zone' }),
    weekly: z
      .array(
        z.strictObject({
          day: Day,
          opens: time,
          closes: time.describe('At or before `opens`: on the next day. `00:00` is midnight.'),
        }),
      )
      .min(1)
      .max(50)
      .nullable()
      .describe('When your team replies. null: every day, all day.'),
    holidays: z
      .array(z.iso.date())
      .max(100)
      .describe('Days on which your team doesn’t open. Hours that started on the day before still end as usual.'),
    awayMessage: z
      .string()
      .trim()
      .max(1_000)
      .describe('Added to the bot’s message if a visitor asks for an agent while your team is away.'),
    replyMinutes: z
      .int()
      .min(1)
      .max(10_080)
      .nullable()
      .describe('How long visitors usually wait for a reply, in minutes. Shown in the widget. null: not shown.'),
  })
  .meta({ id: 'BusinessHours' });
export type BusinessHours = z.infer<typeof BusinessHours>;
export const OneBusinessHours = z.object({ businessHours: BusinessHours });

export const Availability = z
  .object({
    isOpen: z.boolean(),
    opensAt: z.date().nullable().describe('When your team is back. null while it is there, or if it never opens.'),
    replyMinutes: z.int().nullable().describe('How long visitors usually wait for a reply.'),
    awayMessage: z.string().nullable().describe('null while your team is there, or if there is no such message.'),
  })
  .meta({ id: 'Availability' });
export type Availability = z.infer<typeof Availability>;
