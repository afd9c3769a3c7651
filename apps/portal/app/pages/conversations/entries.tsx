import { Text } from '@mantine/core';
import { Ago, Avatar, Status } from '@parley/portal-kit/ui';
import { createContext, useContext } from 'react';
import { ConfirmationCard, EventLine } from './event-lines.tsx';
import { ExternalLink, MessageText } from './message-text.tsx';
import type { Conversation, Message, TimelineEntry } from './states.ts';
import classes from './conversations.module.css';

interface BotBubble {
  botId: string;
  botName: string;
  person: Conversation['person'];
  /** For entries that answer earlier ones. */
  entries: TimelineEntry[];
}
export const BotBubbleContext = createContext<BotBubble>({
  botId: '',
  botName: 'Bot',
  person: { id: '', name: '', email: null, isKnown: false, isVerified: false },
  entries: [],
});

const messageOf = (entry: TimelineEntry | undefined) => entry?.data['message'] as Message | undefined;
/** Messages of one author within this time share a header. */
const groupMs = 5 * 60_000;

function isContinued(entry: TimelineEntry, previous: TimelineEntry | undefined): boolean {
  const [one, other] = [messageOf(entry), messageOf(previous)];
  return (
    one !== undefined &&
    other !== undefined &&
    one.role === other.role &&
    one.agent?.id === other.agent?.id &&
    entry.isInternal === previous?.isInternal &&
    Date.parse(one.createdAt) - Date.parse(other.createdAt) < groupMs
  );
}

/** One entry: a message, a card, or a line. */
export function Entry({ entry, previous }: { entry: TimelineEntry; previous: TimelineEntry | undefined }) {
  const { entries } = useContext(BotBubbleContext);
  const message = messageOf(entry);
  if (message) return <Bubble message={message} isNote={entry.isInternal} isContinued={isContinued(entry, previous)} />;
  if (entry.data['isErased']) return null; // what happened is not known any more
  if (entry.type === 'confirmation.required') return <ConfirmationCard entry={entry} entries={entries} />;
  return <EventLine entry={entry} />;
}

interface BubbleProps {
  message: Message;
  isNote: boolean;
  isContinued: boolean;
}

function Bubble({ message, isNote, isContinued: isGrouped }: BubbleProps) {
  const { role, text, citations, isAnswer, finish, createdAt } = message;
  const author = useAuthor(message, isNote);
  return (
    <article
      className={classes['message']}
      data-role={isNote ? 'note' : role}
      data-side={role === 'visitor' ? 'left' : 'right'}
      data-grouped={isGrouped}
    >
      <span className={classes['face']}>{!isGrouped && <Avatar {...author.avatar} size={28} />}</span>
      <div className={classes['bubble']}>
        {!isGrouped && (
          <Text size="xs" component="header" className={classes['author'] ?? ''}>
            <b>{author.name}</b> <span className={classes['role']}>{author.label}</span> · <Ago at={createdAt} />
          </Text>
        )}
        {text === '' ? <i>Erased</i> : role === 'visitor' ? text : <MessageText text={text} />}
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
                [{n}] {url ? <ExternalLink href={url}>{title}</ExternalLink> : title}
                {heading && heading !== title ? `, ${heading}` : ''}{' '}
              </span>
            ))}
          </Text>
        )}
      </div>
    </article>
  );
}

function useAuthor({ role, agent }: Message, isNote: boolean) {
  const { botId, botName, person } = useContext(BotBubbleContext);
  if (role === 'visitor')
    return {
      name: person.name,
      label: 'Visitor',
      avatar: { name: person.isKnown ? person.name : '', id: person.id || 'visitor', kind: 'visitor' as const },
    };
  if (role === 'agent') {
    const name = agent?.name || 'A teammate';
    return {
      name,
      label: isNote ? 'Note, only visible to your team' : 'Agent',
      avatar: { name, id: agent?.id ?? 'agent', kind: 'person' as const },
    };
  }
  return {
    name: botName,
    label: role === 'bot' ? 'Bot' : 'System',
    avatar: { name: botName, id: botId, kind: 'bot' as const },
  };
}
