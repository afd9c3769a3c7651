import { Text } from '@mantine/core';
import { Ago, Status, TextLink, useNow } from '@parley/portal-kit/ui';
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowUpRight,
  IconBolt,
  IconCircleCheck,
  IconHandStop,
  IconLogin2,
  IconMail,
  IconMoon,
  IconStar,
  IconTag,
  IconThumbDown,
  IconThumbUp,
  IconUserCheck,
  IconWorld,
} from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { useColleagues } from './colleagues.ts';
import { confirmationState, type ConfirmationState } from './confirmation.ts';
import { ExternalLink } from './message-text.tsx';
import { durationLabel, type TimelineEntry } from './states.ts';
import classes from './conversations.module.css';

interface Line {
  icon: ComponentType<{ size?: number }>;
  text: ReactNode;
  /** What the visitor wrote with it. */
  quote?: string;
}

const nameIn = (data: TimelineEntry['data'], field = 'agent') =>
  (data[field] as { name?: string } | undefined)?.name || 'A teammate';
const textIn = (data: TimelineEntry['data'], name: string) => (typeof data[name] === 'string' ? data[name] : '');

/** What the visitor or the page gave as the reason. `asked`: in a message, which is shown anyway. */
const handoffReasonIn = (data: TimelineEntry['data']) => {
  const reason = textIn(data, 'reason');
  return reason === 'asked' ? '' : reason;
};

const stateLines: Record<string, (data: TimelineEntry['data']) => Line> = {
  waiting_human: (data) => ({ icon: IconHandStop, text: 'Asked for a person', quote: handoffReasonIn(data) }),
  human: (data) => ({ icon: IconLogin2, text: `${nameIn(data)} joined` }),
  bot: (data) => ({
    icon: IconArrowBackUp,
    text: data['agent'] ? `${nameIn(data)} handed the conversation back to the bot` : 'The bot continues',
  }),
  closed: (data) => ({ icon: IconCircleCheck, text: `${nameIn(data)} closed the conversation` }),
};

const outcomes: Record<string, string> = { succeeded: 'Succeeded', failed: 'Failed', unknown: 'Outcome unknown' };

const lines: Record<string, (data: TimelineEntry['data']) => Line | undefined> = {
  'conversation.updated': (data) =>
    data['reopenedBy']
      ? { icon: IconArrowBackUp, text: `${nameIn(data, 'reopenedBy')} reopened the conversation` }
      : stateLines[textIn(data, 'state')]?.(data),
  'conversation.rated': (data) => ({
    icon: IconStar,
    text: `Rated the conversation ${String(data['rating'])} out of 5`,
    quote: textIn(data, 'comment'),
  }),
  'message.feedback': (data) => ({
    icon: data['isHelpful'] ? IconThumbUp : IconThumbDown,
    text: data['isHelpful'] ? 'Found an answer helpful' : 'Found an answer not helpful',
    quote: textIn(data, 'comment'),
  }),
  'action.started': (data) => (data['parentId'] ? undefined : { icon: IconBolt, text: <>Started {runLink(data)}</> }),
  'action.finished': (data) =>
    data['parentId']
      ? undefined
      : {
          icon: IconBolt,
          text: (
            <>
              {runLink(data)}: {outcomes[textIn(data, 'outcome')] ?? 'Ended'}
            </>
          ),
        },
  'page.visited': (data) => ({
    icon: IconWorld,
    text: (
      <>
        Went to{' '}
        <ExternalLink href={textIn(data, 'url')}>{textIn(data, 'url').replace(/^https?:\/\//, '')}</ExternalLink>
      </>
    ),
  }),
  'reply_email.set': (data) => ({ icon: IconMail, text: `Left an email address: ${textIn(data, 'email')}` }),
  'conversation.snoozed': (data) => ({
    icon: IconMoon,
    text: data['until'] ? (
      <>
        {nameIn(data)} snoozed the conversation until {new Date(textIn(data, 'until')).toLocaleString()}
      </>
    ) : (
      `${nameIn(data)} returned the conversation to the inbox`
    ),
  }),
  'conversation.tagged': (data) => ({
    icon: IconTag,
    text: `${nameIn(data)} changed the tags to: ${(data['tags'] as string[]).join(', ') || 'none'}`,
  }),
  'conversation.assigned': (data) => ({ icon: IconUserCheck, text: <Assignment data={data} /> }),
  'conversation.escalated': (data) => ({
    icon: IconArrowUpRight,
    text: `Escalated: no one took over within ${durationLabel(Number(data['afterMinutes']) * 60_000)}`,
  }),
  'turn.failed': (data) =>
    ['handed_off', 'closed', 'erased'].includes(textIn(data, 'reason'))
      ? undefined
      : { icon: IconAlertTriangle, text: 'The bot couldn’t reply' },
};

const runLink = (data: TimelineEntry['data']) => (
  <TextLink to={`/developers/runs/${textIn(data, 'runId')}`}>{textIn(data, 'title') || textIn(data, 'name')}</TextLink>
);

function Assignment({ data }: { data: TimelineEntry['data'] }) {
  const { agents, teams, isLoaded } = useColleagues();
  if (!isLoaded) return 'Assignment changed';
  const assignee = agents.find(({ userId }) => userId === data['assigneeId'])?.name;
  const team = teams.find(({ id }) => id === data['teamId'])?.name;
  if (assignee) return `Assigned to ${assignee}${team ? `, team ${team}` : ''}`;
  if (team) return `Assigned to the team ${team}`;
  return data['assigneeId'] ? 'Assigned to a colleague' : 'No longer assigned';
}

/** Something that happened between messages. Types without a line are not for people. */
export function EventLine({ entry: { type, data, createdAt } }: { entry: TimelineEntry }) {
  const line = lines[type]?.(data);
  if (!line) return null;
  const { icon: Icon, text, quote } = line;
  return (
    <div className={classes['event']} data-type={type}>
      <Icon size={14} aria-hidden />
      <Text size="xs" component="span">
        {text} · <Ago at={createdAt} />
        {quote && <q className={classes['quote']}>{quote}</q>}
      </Text>
    </div>
  );
}

const confirmationLabels: Record<ConfirmationState, { label: string; tone: 'good' | 'warn' | 'idle' }> = {
  waiting: { label: 'Waiting for the visitor’s answer', tone: 'warn' },
  confirmed: { label: 'Confirmed', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'idle' },
  expired: { label: 'Expired', tone: 'idle' },
};

interface CardProps {
  entry: TimelineEntry;
  entries: TimelineEntry[];
}

/** What the visitor was asked to confirm, when, and what became of it. */
export function ConfirmationCard({ entry, entries }: CardProps) {
  const { data, createdAt } = entry;
  const { label: state, tone } = confirmationLabels[confirmationState(entry, entries, useNow(15_000))];
  const fields = (data['fields'] as { label: string; value: string }[] | undefined) ?? [];
  return (
    <section className={classes['card']} aria-label="Confirmation">
      <Text fw={600} size="sm">
        {textIn(data, 'title')}
      </Text>
      <dl className={classes['fields']}>
        {fields.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" component="div">
        <Status tone={tone}>{state}</Status> · <Ago at={createdAt} />
      </Text>
    </section>
  );
}
