import { useLocation, useNavigation } from 'react-router';

/**
 * The URL's parameters with changes; an empty value removes one, and so does every change with the cursor, which belongs
 * to the list before. A second quick choice keeps the first, even if its page is still loading or being rendered.
 */
export function useChangedSearch() {
  const { pathname, search } = useLocation();
  const { location: loading } = useNavigation();
  return (changes: Record<string, string | undefined>) => {
    const current = typeof window === 'undefined' ? search : window.location.search;
    const next = new URLSearchParams(loading?.pathname === pathname ? loading.search : current);
    for (const [name, value] of Object.entries({ ...changes, cursor: undefined }))
      if (value) next.set(name, value);
      else next.delete(name);
    return next;
  };
}
