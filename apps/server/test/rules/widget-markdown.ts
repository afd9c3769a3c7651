// The widget's Markdown without a browser: the part of the DOM that it uses, each operation in constant time, so that
// only the parsing is measured.

class TestElement {
  readonly children: TestElement[] = [];
  /** Its text and its elements. */
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
    if (parent?.lastElementChild !== this) throw new Error('only the last element can be removed');
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

// Imported by URL, so that the compiler does not follow it: the widget is checked with DOM types, this with Node's.
const module = new URL('../../../../packages/widget/src/chat/markdown.ts', import.meta.url).href;
type Markdown = (into: TestElement, text: string, cite: () => undefined) => void;
const { markdown } = (await import(module)) as { markdown: Markdown };

/** Renders a text as a reply, and again with more text, as a streamed reply. Returns the text content. */
export function renderMarkdown(text: string): string {
  const page = globalThis as { document?: unknown };
  const before = page.document;
  page.document = { createElement: () => new TestElement() };
  const into = new TestElement();
  markdown(into, text, () => undefined);
  markdown(into, `${text} and more`, () => undefined);
  page.document = before;
  return into.textContent;
}
