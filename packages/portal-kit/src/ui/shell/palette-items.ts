import type { ReactNode } from 'react';

/** A page, an action or something found. */
export interface PaletteItem {
  id: string;
  group: string;
  label: string;
  /** Next to the label, dimmed. */
  detail?: string;
  icon?: ReactNode;
  /** A page to open, or else a function to run. */
  to?: string;
  run?: () => void;
}

/** The items that contain every part of the query. */
export function matchingItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ label, detail = '', group }) => {
    const text = `${label} ${detail} ${group}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}

/** In the order in which the groups first appear. */
export const groupsOf = (items: readonly PaletteItem[]): [group: string, items: PaletteItem[]][] => [
  ...Map.groupBy(items, ({ group }) => group),
];
