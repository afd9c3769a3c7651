import { redact } from '../../platform/telemetry.ts';
import type { Invocation as Seen } from '../../platform/restate-admin.ts';

interface Work {
  what: string;
  /** What is true once it was killed: the rows say what is still open, and who comes back for them. */
  afterKill: string;
}
const bySweeper = 'The sweeper calls for it again within three minutes, from its row.';

const works: Record<string, Work> = {
  Conversation: { what: 'Answers in a conversation', afterKill: `The question stays open. ${bySweeper}` },
  ActionRun: {
    what: 'Runs an action',
    afterKill: `What was sent stays sent; the run goes on from its row. ${bySweeper}`,
  },
  WebhookEndpoint: {
    what: 'Delivers to an endpoint',
    afterKill: `Its deliveries stay in the queue. ${bySweeper} A new event wakes it too.`,
  },
  WebhookReplay: {
    what: 'Puts deliveries of the past into the queue again',
    afterKill: 'The replay stops where it is, and nobody starts it by itself: retry it under Jobs.',
  },
  KnowledgeSource: { what: 'Reads a knowledge source', afterKill: `The sync goes on where it was. ${bySweeper}` },
  KeyRotation: {
    what: 'Seals secrets with a new key',
    afterKill: 'The rotation goes on where it was: a worker calls for it again within two minutes, from its row.',
  },
  ApiKeyExpiry: { what: 'Warns that a key will expire', afterKill: `The warning is still due. ${bySweeper}` },
};

const unknown: Work = {
  what: 'Work of a service that this version does not know',
  afterKill: 'Its row stays as it is. Whether anybody calls for it again depends on the version that began it.',
};
export const workOf = (service: string): Work =>
  (Object.hasOwn(works, service) ? works[service] : undefined) ?? unknown;

const hourMs = 3_600_000;

/** What an operator does about it, by how it fails. */
export function adviseInvocation(
  {
    status,
    failureCode,
    failure,
    createdAt,
    service,
  }: Pick<Seen, 'status' | 'failureCode' | 'failure' | 'createdAt' | 'service'>,
  now: number,
): string {
  const isKnown = Object.hasOwn(works, service);
  const isOld = now - Date.parse(createdAt) > 2 * hourMs;
  if (status === 'scheduled') return 'It waits for its time. Nothing to do.';
  if (status === 'suspended') return 'It waits for something it asked for. Nothing to do.';
  if (status === 'pending') return 'It waits behind another of the same key. Look at that one.';
  if (status === 'running' || status === 'ready') return 'It is being worked on. Nothing to do.';
  const isStopped = status === 'paused';
  const then = isStopped ? 'Then resume it.' : 'It is tried again by itself; “Retry now” spares the wait.';
  if (/^RT001[1]|META0009/.test(failureCode ?? '') || /no deployment|not found/i.test(failure ?? ''))
    return `No registered worker serves ${service}. Start the version that does, or kill it if that is gone for good. ${then}`;
  if (failureCode === 'RT0010')
    return `Restate cannot reach the worker it was begun with. Start a worker at that address, and see that WORKER_URL is right. ${then}`;
  if (failureCode === 'RT0016')
    return 'The code was changed under it, so its journal does not fit any more. Kill it: it begins anew from its row.';
  if (failureCode === 'RT0001')
    return `A step took longer than it may. See what it waits for, such as a model or another’s server. ${then}`;
  if (failureCode === 'RT0003')
    return 'A message was larger than Restate takes. Kill it, and report it: it will fail the same way each time.';
  if (isStopped) return 'Restate gave up trying. Read the failure, mend its cause, then resume it.';
  if (isOld)
    return `It has failed for hours. Read the failure: if it is always the same, mend its cause${isKnown ? ', or kill it: it begins anew from its row' : ''}.`;
  return `It failed and is tried again. ${/ECONNREFUSED|timeout|terminated|reach our database/i.test(failure ?? '') ? 'Something it needs does not answer: look at the parts. ' : ''}Look again in a few minutes, or retry it now.`;
}

const longest = 500;

/**
 * Restate keeps failures as they were thrown. Of these only the first line is shown, without addresses, secrets and what
 * stands in quotes, since that may be what somebody wrote.
 */
export function scrub(failure: string | null): string | null {
  if (failure === null) return null;
  const [line = ''] = failure.replace(/^\[\d+ [\w ]+\] /, '').split('\n');
  return redact(line)
    .replaceAll(/(?<![^\s@<>()"':])[^\s@<>()"':]+@[^\s@<>()"',;:]+/g, '[address]')
    .replaceAll(/(["“`])[^"“”`]{25,}(["”`])/g, '$1…$2')
    .slice(0, longest);
}
