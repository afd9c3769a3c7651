import { useState, type ChangeEvent } from 'react';
import { isSame } from '../differences.ts';

/**
 * A value that is typed as text, such as a list with a line for each. What is typed stays as it is, empty lines too, as
 * long as it means the value; a value that comes from elsewhere is written anew.
 */
export function useText<T>(
  value: T,
  write: (value: T) => string,
  read: (text: string) => T,
  onChange: (value: T) => void,
) {
  const [typed, setTyped] = useState(() => write(value));
  return {
    value: isSame(read(typed), value) ? typed : write(value),
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(currentTarget.value);
      onChange(read(currentTarget.value));
    },
  };
}
