import { Loader, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';

interface Props {
  query: string;
  isSearching: boolean;
  onSearch(query: string): void;
}

const debounceMs = 200;

/** Searches while typing, debounced. The query is in the URL, so that it can be shared. */
export function SearchBox({ query, isSearching, onSearch }: Props) {
  const [typed, setTyped] = useState(query);
  const [knownQuery, setKnownQuery] = useState(query);
  const [sentQuery, setSentQuery] = useState(query);
  if (query !== knownQuery) {
    setKnownQuery(query);
    // The URL changed through navigation, so the field takes its value.
    if (query !== sentQuery) {
      setSentQuery(query);
      setTyped(query);
    }
  }
  const search = useEffectEvent((nextQuery: string) => {
    if (nextQuery === sentQuery) return;
    setSentQuery(nextQuery);
    onSearch(nextQuery);
  });
  useEffect(() => {
    const timer = setTimeout(() => search(typed.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form role="search" onSubmit={(event) => event.preventDefault()} style={{ flex: '1 1 320px' }}>
      <TextInput
        type="search"
        name="query"
        label="Find a tenant"
        description="Name, ID, API key, domain or member email."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={isSearching && typed.trim() ? <Loader size={14} aria-label="Searching" /> : null}
      />
    </form>
  );
}
