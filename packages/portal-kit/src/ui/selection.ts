import { useState } from 'react';

export interface Selection {
  count: number;
  ids: readonly string[];
  has(id: string): boolean;
  toggle(id: string): void;
  clear(): void;
}

/** The selected rows among those shown. A row that is no longer shown is no longer selected. */
export function useSelection(shown: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const ids = shown.filter((id) => selected.has(id));
  return {
    count: ids.length,
    ids,
    has: (id) => selected.has(id),
    toggle: (id) =>
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    clear: () => setSelected(new Set()),
  };
}
