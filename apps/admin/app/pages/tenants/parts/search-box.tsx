import { Loader, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

interface Props {
  query: string;
  isLooking: boolean;
  onSearch(query: string): void;
}

const pauseMs = 200;

/** Looks while somebody types, once they pause. What is looked for stands in the address, so it can be shared and gone back to. */
export function SearchBox({ query, isLooking, onSearch }: Props) {
  const [typed, setTyped] = useState(query);
  const asked = useRef(query);
  const search = useRef(onSearch);
  search.current = onSearch;
  // Somebody went back, or followed a link: the address is right, and what was typed is old.
  useEffect(() => {
    if (query === asked.current) return;
    asked.current = query;
    setTyped(query);
  }, [query]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === asked.current) return undefined;
    const timer = setTimeout(() => {
      asked.current = wanted;
      search.current(wanted);
    }, pauseMs);
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
        rightSection={isLooking && typed.trim() ? <Loader size={14} aria-label="Searching" /> : null}
      />
    </form>
  );
}
