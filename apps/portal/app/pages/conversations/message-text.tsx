import { Anchor, Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

const inlineMarkdown = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\((https?:\/\/[^()\s]+)\)/g;

/** Renders bold, code and links. Everything else stays plain text, never HTML. */
export function MessageText({ text }: { text: string }) {
  const nodes: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(inlineMarkdown)) {
    nodes.push(text.slice(at, match.index));
    const [matched, bold, code, label, href] = match;
    if (bold) nodes.push(<b>{bold}</b>);
    else if (code) nodes.push(<Code>{code}</Code>);
    else nodes.push(<ExternalLink href={href!}>{label}</ExternalLink>);
    at = match.index + matched.length;
  }
  nodes.push(text.slice(at));
  return (
    <>
      {nodes.map((node, n) => (
        <Fragment key={n}>{node}</Fragment>
      ))}
    </>
  );
}

/** An external link without a referrer. */
export const ExternalLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </Anchor>
);
