/** One thing in a list, by a name that stays. It is built once, and brought up to date when its version is another. */
export interface Piece {
  key: string;
  version: string;
  make(): HTMLElement;
  update?(node: HTMLElement): void;
}

/** Shows these pieces in this order, and touches nothing that is as it was: what is read, chosen or focused stays so. */
export function createPieces(into: HTMLElement) {
  const shown = new Map<string, { node: HTMLElement; version: string }>();
  const show = (pieces: readonly Piece[]) => {
    const keys = new Set(pieces.map(({ key }) => key));
    for (const [key, { node }] of shown) {
      if (keys.has(key)) continue;
      node.remove();
      shown.delete(key);
    }
    pieces.forEach(({ key, version, make, update }, at) => {
      let known = shown.get(key);
      if (!known || (known.version !== version && !update)) {
        const node = make();
        known?.node.replaceWith(node);
        shown.set(key, (known = { node, version }));
      } else if (known.version !== version) {
        update?.(known.node);
        known.version = version;
      }
      if (into.children[at] !== known.node) into.insertBefore(known.node, into.children[at] ?? null);
    });
  }; /** All is built anew: it is to be said in other words. */
  const clear = () => {
    into.replaceChildren();
    shown.clear();
  };
  return { show, forget: clear };
}
