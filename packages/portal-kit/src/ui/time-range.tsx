import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { trimmedField } from './browser.ts';

/** The value of a `datetime-local` input, in the browser's time zone. */
const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** The last 24 hours by default. */
export function TimeRange() {
  const [openedAt] = useState(() => Date.now());
  return (
    <>
      <TextInput
        name="since"
        type="datetime-local"
        label="From"
        defaultValue={local(new Date(openedAt - 86_400_000))}
        required
      />
      <TextInput
        name="until"
        type="datetime-local"
        label="To"
        defaultValue={local(new Date(openedAt + 60_000))}
        required
      />
    </>
  );
}

/** The selected range as API parameters. */
export function timeRangeIn(form: FormData) {
  const at = (name: string) => new Date(trimmedField(form, name)).toISOString();
  return { since: at('since'), until: at('until') };
}
