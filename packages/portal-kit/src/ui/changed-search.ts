import { useLocation, useNavigation } from 'react-router';

/**
 * The URL's parameters with changes; an empty value removes one, and so does every change with the cursors, which belong
 * to the lists before. A second quick choice keeps the first, even if its page is still loading or being rendered.
 */
export function useChangedSearch() {
  const { pathname, search } = useLocation();
  const { location: loading } = useNavigation();
  return (changes: Record<string, string | undefined>) => {
    const current = typeof window === 'undefined' ? search : window.location.search;
    const next = new URLSearchParams(loading?.pathname === pathname ? loading.search : current);
    for (const name of [...next.keys()].filter(isCursor)) next.delete(name);
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value);
      else next.delete(name);
    return next;
  };
}

/** A page with several lists has one each, such as `commentsCursor`. */
const isCursor = (name: string) => name === 'cursor' || name.endsWith('Cursor');
