/** An item with a stable key. Built once, and updated when its version changes. */
export interface ListItem {
  key: string;
  version: string;
  make(): HTMLElement;
  update?(node: HTMLElement): void;
}

/** Renders items in order and leaves unchanged ones alone, so that focus, selection and scroll position are kept. */
export function createKeyedList(container: HTMLElement) {
  const rendered = new Map<string, { node: HTMLElement; version: string }>();
  const show = (listItems: readonly ListItem[]) => {
    const keys = new Set(listItems.map(({ key }) => key));
    for (const [key, { node }] of rendered) {
      if (keys.has(key)) continue;
      node.remove();
      rendered.delete(key);
    }
    listItems.forEach(({ key, version, make, update }, at) => {
      let entry = rendered.get(key);
      if (!entry || (entry.version !== version && !update)) {
        const node = make();
        entry?.node.replaceWith(node);
        rendered.set(key, (entry = { node, version }));
      } else if (entry.version !== version) {
        update?.(entry.node);
        entry.version = version;
      }
      if (container.children[at] !== entry.node) container.insertBefore(entry.node, container.children[at] ?? null);
    });
  };
  /** Rebuilds everything, after a change of labels. */
  const clear = () => {
    container.replaceChildren();
    rendered.clear();
  };
  return { show, clear };
}
