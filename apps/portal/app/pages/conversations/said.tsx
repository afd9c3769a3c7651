import { Anchor, Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

const marks = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\((https?:\/\/[^()\s]+)\)/g;

/** Bold, code and links of a reply; everything else stays text. Nothing of it becomes markup by itself. */
export function Said({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const found of text.matchAll(marks)) {
    parts.push(text.slice(at, found.index));
    const [whole, bold, code, label, href] = found;
    if (bold) parts.push(<b>{bold}</b>);
    else if (code) parts.push(<Code>{code}</Code>);
    else parts.push(<Away href={href!}>{label}</Away>);
    at = found.index + whole.length;
  }
  parts.push(text.slice(at));
  return (
    <>
      {parts.map((part, n) => (
        <Fragment key={n}>{part}</Fragment>
      ))}
    </>
  );
}

/** Out of the portal, and the other side is not told from where. */
export const Away = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </Anchor>
);
