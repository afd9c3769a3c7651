import { Loader, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The query in the URL, so that it can be shared. */
  query: string;
  isSearching?: boolean;
  onSearch(query: string): void;
}

const debounceMs = 250;

/** Searches while typing. `/` sets the focus. */
export function LiveSearch({ query, isSearching = false, onSearch, ...input }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(query);
  const [known, setKnown] = useState({ query, sent: query });
  if (query !== known.query) {
    // Another link or the back button changed the URL, so the field takes its value.
    if (query !== known.sent) setTyped(query);
    setKnown({ query, sent: query });
  }
  useHotkeys([['/', () => field.current?.focus()]]);
  const search = (value: string) => {
    if (value === known.sent) return;
    setKnown({ ...known, sent: value });
    onSearch(value);
  };
  const searchLater = useDebouncedCallback(search, debounceMs);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        searchLater.cancel();
        search(typed.trim());
      }}
    >
      <TextInput
        ref={field}
        type="search"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          searchLater(value.trim());
        }}
        // Results of a search must not replace the page that was just opened.
        onBlur={({ relatedTarget }) => relatedTarget instanceof HTMLAnchorElement && searchLater.cancel()}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={isSearching && typed.trim() ? <Loader size={14} aria-label="Searching" /> : null}
        {...input}
      />
    </form>
  );
}
