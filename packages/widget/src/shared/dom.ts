// Everything the widget shows is built here, node by node. Text is text; no string is ever read as HTML.

type Child = Node | string | false | null | undefined;
type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') node.addEventListener(name, value as EventListener);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child): child is Node | string => Boolean(child)));
  return node;
}

const svgSpace = 'http://www.w3.org/2000/svg';

/** An icon of 24 by 24, drawn in lines of the text's colour. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgSpace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svgSpace, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

export function styled(root: ShadowRoot, css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet(); // unlike a style element, no policy of the page forbids it
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return sheet;
}
