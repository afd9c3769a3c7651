import { useLocation, useNavigation, useSearchParams } from 'react-router';

/**
 * The URL's parameters with changes; an empty value removes one, and so does every change with the cursor, which belongs
 * to the list before. While this page is loading with other parameters, those count: a second quick choice must keep the first.
 */
export function useChangedSearch() {
  const [search] = useSearchParams();
  const { pathname } = useLocation();
  const { location: loading } = useNavigation();
  return (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(loading?.pathname === pathname ? loading.search : search);
    for (const [name, value] of Object.entries({ ...changes, cursor: undefined }))
      if (value) next.set(name, value);
      else next.delete(name);
    return next;
  };
}
