import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { PaletteItem } from './palette-items.ts';

export type PaletteSearch = (query: string) => Promise<readonly PaletteItem[]>;

const minLength = 2;
const pauseMs = 150;

/** What the service finds for the query, after a pause in typing. Results of earlier queries are dropped. */
export function useSearch(query: string, search: PaletteSearch | undefined) {
  const [typed] = useDebouncedValue(query.trim(), pauseMs);
  const [result, setResult] = useState<{ query: string; items: readonly PaletteItem[] }>({ query: '', items: [] });
  const isLongEnough = typed.length >= minLength && search !== undefined;
  useEffect(() => {
    if (!isLongEnough) return;
    let isCurrent = true;
    // Pages and actions remain available if the search fails.
    void search(typed)
      .catch(() => [])
      .then((items) => isCurrent && setResult({ query: typed, items }));
    return () => {
      isCurrent = false;
    };
  }, [typed, search, isLongEnough]);
  const isCurrent = isLongEnough && result.query === query.trim();
  return {
    found: isCurrent ? result.items : [],
    isSearching: query.trim().length >= minLength && !!search && !isCurrent,
  };
}
