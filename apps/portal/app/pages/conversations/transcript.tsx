import { Button, Group, Text } from '@mantine/core';
import { Ago, api, call, ProblemText, Status, useAction } from '@parley/portal-kit/ui';
import { useEffect, useRef, useState } from 'react';
import { withEarlier, withNewest } from './kept.ts';
import { Away, Said } from './said.tsx';
import type { Pending } from './outbox.ts';
import type { Message } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  conversationId: string;
  /** The newest, newest first, as the service lists them. */
  newest: Message[];
  before: number | null;
  /** Written here and not yet confirmed. */
  pending: Pending[];
  onAgain(id: string): void;
  onDrop(id: string): void;
}

/** What was said, oldest first. Earlier messages come when they are asked for, a page at a time. */
export function Transcript({ conversationId, newest, before, pending, onAgain, onDrop }: Props) {
  const [read, setRead] = useState({ newest, kept: withNewest({ messages: [], before: null }, newest, before) });
  if (read.newest !== newest) setRead({ newest, kept: withNewest(read.kept, newest, before) });
  const { kept } = read;
  const { messages } = kept;
  const log = useRef<HTMLDivElement>(null);
  const more = useAction(
    async (place: number) => {
      const params = { path: { id: conversationId }, query: { limit: 50, before: place } };
      const found = await call(api.GET('/conversations/{id}/messages', { params }));
      setRead((had) => ({ ...had, kept: withEarlier(had.kept, found.data, found.before) }));
    },
    { isQuiet: true },
  );
  const arrived = new Set(messages.map(({ clientMessageId }) => clientMessageId));
  const open = pending.filter(({ id }) => !arrived.has(id));
  const last = messages.at(-1)?.seq;
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [last, open.length]);

  return (
    <div className={classes['log']} ref={log} role="log" aria-label="Messages" tabIndex={0}>
      {kept.before !== null && (
        <Button
          variant="default"
          size="xs"
          mx="auto"
          loading={more.isRunning}
          onClick={() => void more.run(kept.before ?? 0)}
        >
          Load earlier messages
        </Button>
      )}
      <ProblemText problem={more.problem} />
      {messages.map((message) => (
        <Bubble key={message.seq} message={message} />
      ))}
      {open.map((one) => (
        <Unsent key={one.id} one={one} onAgain={onAgain} onDrop={onDrop} />
      ))}
    </div>
  );
}

interface UnsentProps {
  one: Pending;
  onAgain(id: string): void;
  onDrop(id: string): void;
}

const Unsent = ({ one: { id, text, isNote, problem }, onAgain, onDrop }: UnsentProps) => (
  <div className={`${classes['message']} ${isNote ? classes['note'] : classes['mine']}`} aria-busy={!problem}>
    {text}
    {problem ? (
      <>
        <ProblemText problem={problem} />
        <Group gap="xs" mt={4}>
          <Button size="compact-xs" onClick={() => onAgain(id)}>
            Try again
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => onDrop(id)}>
            Discard
          </Button>
        </Group>
      </>
    ) : (
      <Text size="xs" c="dimmed">
        Sending…
      </Text>
    )}
  </div>
);

const nameOf = ({ role, agent, isNote }: Message) => {
  if (isNote) return `Note by ${agent?.name ?? 'a teammate'}, only visible to your team`;
  if (role === 'visitor') return 'Visitor';
  if (role === 'agent') return agent?.name || 'Agent';
  return role === 'bot' ? 'Bot' : 'System';
};

function Bubble({ message }: { message: Message }) {
  const { role, text, citations, isAnswer, finish, createdAt, isNote } = message;
  const kind = isNote ? classes['note'] : role === 'visitor' ? '' : classes['mine'];
  return (
    <article className={`${classes['message']} ${kind}`} data-role={isNote ? 'note' : role}>
      <Text size="xs" c="dimmed" component="header">
        {nameOf(message)} · <Ago at={createdAt} />
      </Text>
      {text === '' ? <i>Erased</i> : role === 'visitor' ? text : <Said text={text} />}
      {isAnswer === false && (
        <div>
          <Status tone="warn">No answer found</Status>
        </div>
      )}
      {finish === 'cut' && <Text size="xs">The answer was cut off here.</Text>}
      {finish === 'stopped' && <Text size="xs">The visitor stopped the answer here.</Text>}
      {citations.length > 0 && (
        <Text size="xs" component="footer" mt={4}>
          Sources:{' '}
          {citations.map(({ n, title, heading, url }) => (
            <span key={n}>
              [{n}] {url ? <Away href={url}>{title}</Away> : title}
              {heading && heading !== title ? `, ${heading}` : ''}{' '}
            </span>
          ))}
        </Text>
      )}
    </article>
  );
}
