import { useState } from 'react';

export interface Selection {
  count: number;
  ids: readonly string[];
  isAll: boolean;
  has(id: string): boolean;
  toggle(id: string): void;
  toggleAll(): void;
  clear(): void;
}

/** The selected rows among those shown. A row that is no longer shown is no longer selected. */
export function useSelection(shown: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const ids = shown.filter((id) => selected.has(id));
  const isAll = shown.length > 0 && ids.length === shown.length;
  return {
    count: ids.length,
    ids,
    isAll,
    has: (id) => selected.has(id),
    toggle: (id) =>
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    toggleAll: () => setSelected(new Set(isAll ? [] : shown)),
    clear: () => setSelected(new Set()),
  };
}
