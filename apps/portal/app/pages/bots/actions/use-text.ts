import { useState, type ChangeEvent } from 'react';
import { isSame } from '../differences.ts';

/**
 * A value edited as text, such as a list with one entry per line. The typed text, including empty lines, is kept while it
 * parses to the value. A value changed externally replaces the text.
 */
export function useText<T>(
  value: T,
  format: (value: T) => string,
  parse: (text: string) => T,
  onChange: (value: T) => void,
) {
  const [typed, setTyped] = useState(() => format(value));
  return {
    value: isSame(parse(typed), value) ? typed : format(value),
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(currentTarget.value);
      onChange(parse(currentTarget.value));
    },
  };
}
