// The widget's Markdown without a browser: as much of a document as it uses, each operation in constant time, so that what
// is measured is the reading of the text.

class TestElement {
  readonly children: TestElement[] = [];
  /** What it says, and what is inside it. */
  readonly nodes: (TestElement | string)[] = [];
  parent: TestElement | undefined;
  setAttribute() {}
  append(...nodes: (TestElement | string)[]) {
    for (const node of nodes) {
      this.nodes.push(node);
      if (typeof node === 'string') continue;
      node.parent = this;
      this.children.push(node);
    }
  }
  get lastElementChild(): TestElement | null {
    return this.children.at(-1) ?? null;
  }
  get textContent(): string {
    return this.nodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join('');
  }
  remove() {
    const { parent } = this;
    if (parent?.lastElementChild !== this) throw new Error('only the last is removed');
    parent.children.pop();
    parent.nodes.pop();
  }
  replaceWith(other: TestElement) {
    const { parent } = this;
    if (!parent) return;
    const at = parent.children.indexOf(this);
    parent.children[at] = other;
    parent.nodes[parent.nodes.indexOf(this)] = other;
    other.parent = parent;
  }
}

// By a name that the compiler does not follow: the widget is checked with the types of browsers, this with those of Node.
const module = new URL('../../../../packages/widget/src/chat/markdown.ts', import.meta.url).href;
type Markdown = (into: TestElement, text: string, cite: () => undefined) => void;
const { markdown } = (await import(module)) as { markdown: Markdown };

/** Shows a text as an answer, and then with a little more, as one that is being written. Says what can be read. */
export function showMarkdown(text: string): string {
  const page = globalThis as { document?: unknown };
  const before = page.document;
  page.document = { createElement: () => new TestElement() };
  const into = new TestElement();
  markdown(into, text, () => undefined);
  markdown(into, `${text} and more`, () => undefined);
  page.document = before;
  return into.textContent;
}
