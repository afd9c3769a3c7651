import { redact } from '../../../platform/log-contents.ts';
import type { Invocation as RestateInvocation } from '../../../platform/restate-admin.ts';

interface ServiceDescription {
  what: string;
  /** What happens to the work after a kill. */
  afterKill: string;
}
const restartedBySweeper = 'The sweeper restarts it from the database within three minutes.';

const services: Record<string, ServiceDescription> = {
  Conversation: { what: 'Reply in a conversation', afterKill: `The question stays open. ${restartedBySweeper}` },
  ActionRun: {
    what: 'Action run',
    afterKill: `Requests that were sent can’t be undone; the run continues from its last saved step. ${restartedBySweeper}`,
  },
  WebhookReplay: {
    what: 'Webhook replay',
    afterKill: 'The replay stops where it is and isn’t restarted automatically: retry it under Jobs.',
  },
  KnowledgeSource: { what: 'Knowledge sync', afterKill: `The sync continues where it stopped. ${restartedBySweeper}` },
  KeyRotation: {
    what: 'Encryption key rotation',
    afterKill: 'The rotation continues where it stopped: a worker restarts it from the database within two minutes.',
  },
  ApiKeyExpiry: { what: 'API key expiry warning', afterKill: `The warning is still due. ${restartedBySweeper}` },
};

const unknownService: ServiceDescription = {
  what: 'Unknown service',
  afterKill: 'Its data is unchanged. Whether it is restarted depends on the version that started it.',
};
export const describeService = (service: string): ServiceDescription =>
  (Object.hasOwn(services, service) ? services[service] : undefined) ?? unknownService;

const hourMs = 3_600_000;

/** What an operator should do, depending on the failure. */
export function adviseInvocation(
  {
    status,
    failureCode,
    failure,
    createdAt,
    service,
  }: Pick<RestateInvocation, 'status' | 'failureCode' | 'failure' | 'createdAt' | 'service'>,
  now: number,
): string {
  const isKnown = Object.hasOwn(services, service);
  const isOld = now - Date.parse(createdAt) > 2 * hourMs;
  if (status === 'scheduled') return 'Scheduled for later. No action needed.';
  if (status === 'suspended') return 'Waiting for another call to finish. No action needed.';
  if (status === 'pending') return 'Queued behind another invocation with the same key. Check that one.';
  if (status === 'running' || status === 'ready') return 'Running. No action needed.';
  const isPaused = status === 'paused';
  const nextStep = isPaused ? 'Then resume it.' : 'It is retried automatically; “Retry now” skips the wait.';
  if (/^RT001[1]|META0009/.test(failureCode ?? '') || /no deployment|not found/i.test(failure ?? ''))
    return `No registered worker serves ${service}. Start a version that does, or kill the invocation if that version is gone for good. ${nextStep}`;
  if (failureCode === 'RT0010')
    return `Restate can’t reach the worker it was started on. Start a worker at that URL, and check WORKER_URL. ${nextStep}`;
  if (failureCode === 'RT0016')
    return 'The code changed while it was running, so its journal no longer matches. Kill it: it restarts from the database.';
  if (failureCode === 'RT0001')
    return `A step timed out. Check what it depends on, such as a model or an external server. ${nextStep}`;
  if (failureCode === 'RT0003')
    return 'A message was larger than Restate accepts. Kill the invocation and report it: it would fail the same way every time.';
  if (isPaused) return 'Restate stopped retrying. Read the failure, fix the cause, then resume it.';
  if (isOld)
    return `It has been failing for hours. Read the failure: if it’s always the same, fix the cause${isKnown ? ', or kill it: it restarts from the database' : ''}.`;
  return `It failed and is being retried. ${/ECONNREFUSED|timeout|terminated|database is unavailable/i.test(failure ?? '') ? 'Something it depends on is not responding: check the components. ' : ''}Check again in a few minutes, or retry it now.`;
}

const maxCharacters = 500;

/**
 * Restate stores errors as thrown. Returns the first line only, without email addresses, secrets and quoted text, because
 * quotes may contain what a visitor wrote.
 */
export function scrub(failure: string | null): string | null {
  if (failure === null) return null;
  const [line = ''] = failure.replace(/^\[\d+ [\w ]+\] /, '').split('\n');
  return redact(line)
    .replaceAll(/(?<![^\s@<>()"':])[^\s@<>()"':]+@[^\s@<>()"',;:]+/g, '[address]')
    .replaceAll(/(["“`])[^"“”`]{25,}(["”`])/g, '$1…$2')
    .slice(0, maxCharacters);
}
