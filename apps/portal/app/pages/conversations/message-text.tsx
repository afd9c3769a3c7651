import { Anchor, Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

const inlineMarkdown = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\((https?:\/\/[^()\s]+)\)/g;

/** Renders bold, code and links. Everything else stays plain text, never HTML. */
export function MessageText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(inlineMarkdown)) {
    parts.push(text.slice(at, match.index));
    const [matched, bold, code, label, href] = match;
    if (bold) parts.push(<b>{bold}</b>);
    else if (code) parts.push(<Code>{code}</Code>);
    else parts.push(<ExternalLink href={href!}>{label}</ExternalLink>);
    at = match.index + matched.length;
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

/** An external link without a referrer. */
export const ExternalLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </Anchor>
);
