import { Badge, Checkbox, Text } from '@mantine/core';
import { Ago, Avatar, useNow, type useSelection } from '@parley/portal-kit/ui';
import { IconClock, IconMoon, IconWorld } from '@tabler/icons-react';
import { Link } from 'react-router';
import { channelLabels } from '../insights/labels.ts';
import { durationLabel, siteOf, stateLabels, stripMarkdown, type Conversation } from './states.ts';
import classes from './conversations.module.css';

interface Props {
  conversation: Conversation;
  /** Only with several bots. */
  botName: string | undefined;
  /** Undefined until it is known. */
  teamName: string | undefined;
  to: string;
  isActive: boolean;
  /** Undefined if the member can't change conversations. */
  selection: ReturnType<typeof useSelection> | undefined;
}

/** Who wrote, what they last wrote, how long they have waited, and who takes care of it. */
export function Row({ conversation, botName, teamName, to, isActive, selection }: Props) {
  const { id, person, visitorPreview, preview, isUnread, tags, rating, isTest, pageUrl, channel } = conversation;
  const site = siteOf(pageUrl);
  // Names that are read later are last, so that nothing moves when they arrive.
  const owner = ownerOf(conversation);
  const facts = [
    owner,
    channelLabels[channel],
    rating === null ? undefined : `Rated ${rating} out of 5`,
    isTest ? 'Test' : undefined,
  ].filter((fact) => fact !== undefined);
  const names = [owner === undefined ? teamName : undefined, botName];
  return (
    <li className={classes['row']} data-active={isActive} data-unread={isUnread} data-selected={selection?.has(id)}>
      <span className={classes['pick']}>
        <Avatar name={person.isKnown ? person.name : ''} id={person.id || id} kind="visitor" size={36} />
        {selection && (
          <Checkbox
            size="sm"
            className={classes['check'] ?? ''}
            aria-label={`Select the conversation with ${person.name}`}
            checked={selection.has(id)}
            onChange={() => selection.toggle(id)}
          />
        )}
      </span>
      <Link to={to} className={classes['rowLink'] ?? ''} {...(isActive && { 'aria-current': 'true' as const })}>
        <span className={classes['rowHead']}>
          <span className={classes['name']}>
            {isUnread && <span className={classes['dot']} role="img" aria-label="Unread" />}
            {person.name}
          </span>
          <Waiting conversation={conversation} />
        </span>
        <span className={classes['text']}>{visitorPreview || stripMarkdown(preview) || 'No messages yet'}</span>
        <span className={classes['facts']}>
          {facts.join(' · ')}
          {site && (
            <span className={classes['site']}>
              <IconWorld size={12} aria-hidden /> {site}
            </span>
          )}
          {tags.map((tag) => (
            <Badge key={tag} size="xs" color="gray" component="span">
              {tag}
            </Badge>
          ))}
          {names.filter((name) => name !== undefined).join(' · ')}
        </span>
      </Link>
    </li>
  );
}

/** Undefined if a team has it, which is known by its ID only. */
function ownerOf({ assignee, teamId, state }: Conversation): string | undefined {
  if (assignee) return assignee.name || 'Assigned';
  if (state === 'bot' || state === 'closed') return stateLabels[state].label;
  return teamId ? undefined : 'Unassigned';
}

/** How long the visitor has waited, otherwise when they last wrote. */
function Waiting({ conversation: { waitingSince, snoozedUntil, lastMessageAt } }: { conversation: Conversation }) {
  const now = useNow(15_000);
  if (now !== undefined && snoozedUntil && Date.parse(snoozedUntil) > now)
    return (
      <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
        <IconMoon size={12} aria-hidden /> until <time dateTime={snoozedUntil}>{shortTime(snoozedUntil)}</time>
      </Text>
    );
  if (now !== undefined && waitingSince && Date.parse(waitingSince) <= now)
    return (
      <span className={classes['wait']} title={`Waiting since ${new Date(waitingSince).toLocaleString()}`}>
        <IconClock size={12} aria-hidden /> {durationLabel(now - Date.parse(waitingSince))}
      </span>
    );
  return (
    <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
      <Ago at={lastMessageAt} />
    </Text>
  );
}

const shortTime = (at: string) =>
  new Date(at).toLocaleString(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
