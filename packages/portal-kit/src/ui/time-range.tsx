import { TextInput } from '@mantine/core';
import { textIn } from './browser.ts';

/** As the fields for date and time want it, in the reader's own zone. */
const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** The last day, until somebody wants another time. */
export const TimeRange = () => (
  <>
    <TextInput
      name="since"
      type="datetime-local"
      label="From"
      defaultValue={local(new Date(Date.now() - 86_400_000))}
      required
    />
    <TextInput
      name="until"
      type="datetime-local"
      label="To"
      defaultValue={local(new Date(Date.now() + 60_000))}
      required
    />
  </>
);

/** What was chosen there, as the service wants it. */
export function timeRangeIn(form: FormData) {
  const at = (name: string) => new Date(textIn(form, name)).toISOString();
  return { since: at('since'), until: at('until') };
}
