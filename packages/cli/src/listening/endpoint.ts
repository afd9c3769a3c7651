import { each } from '@parley/sdk';
import { take } from '../arguments.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { readListeners, saveListener } from './listeners.ts';

/** A URL that never resolves (RFC 2606): the endpoint is only listened to. */
const placeholderUrl = 'https://listen.invalid/';

export interface Endpoint {
  id: string;
  /** Known if this machine created it. */
  secret: string | undefined;
  /** It has its own URL and was active, so it must be resumed when listening stops. */
  mustResume: boolean;
  /** Deliveries queued while no one listened. */
  waiting: number;
}

/** The service validates event types. */
type EventTypes = Parameters<Session['parley']['createWebhook']>[0]['body']['eventTypes'];

interface EndpointOptions {
  webhookId: string | undefined;
  environment: string;
  events: string[];
}

/** The endpoint to listen to, paused: the given one, the one this machine created before, or a new one. */
export async function endpointFor(session: Session, options: EndpointOptions): Promise<Endpoint> {
  const { parley } = session;
  const environment = await environmentNamed(session, options.environment);
  const key = `${session.apiUrl} ${environment.id}`;
  const saved = (await readListeners())[key];
  const known = await existing(session, options.webhookId ?? saved?.id, options.webhookId !== undefined);
  if (known && known.environmentId !== environment.id)
    throw new CliError(
      exitCodes.refused,
      'environment_mismatch',
      `This endpoint doesn’t belong to the environment “${environment.name}”. Listening to it would intercept its requests.`,
      'Choose an endpoint in that environment, or leave out --webhook to create one.',
    );
  if (known) {
    const mustResume = known.url !== placeholderUrl && known.status !== 'paused';
    if (known.status !== 'paused') await parley.pauseWebhook({ path: { webhookId: known.id } });
    return {
      id: known.id,
      secret: saved?.id === known.id ? saved.secret : undefined,
      mustResume,
      waiting: known.health.waiting,
    };
  }
  const { webhook, secret } = await parley.createWebhook({
    body: {
      url: placeholderUrl,
      eventTypes: options.events as EventTypes,
      environmentId: environment.id,
      description: 'parley listen',
    },
  });
  await saveListener(key, { id: webhook.id, secret });
  await parley.pauseWebhook({ path: { webhookId: webhook.id } });
  return { id: webhook.id, secret, mustResume: false, waiting: 0 };
}

async function existing({ parley }: Session, id: string | undefined, isExplicit: boolean) {
  if (id === undefined) return undefined;
  try {
    return (await parley.getWebhook({ path: { webhookId: id } })).webhook;
  } catch (error) {
    if (isExplicit) throw error;
    return undefined; // the saved endpoint was deleted
  }
}

async function environmentNamed({ parley }: Session, name: string) {
  const all = await take(each(parley.listEnvironments, { query: { limit: 100 } }));
  const found = all.find((one) => one.id === name) ?? all.find((one) => one.name === name);
  if (found) return found;
  throw new CliError(
    exitCodes.notFound,
    'environment_not_found',
    `Environment “${name}” not found.`,
    `Available environments: ${[...new Set(all.map((one) => one.name))].toSorted().join(', ')}.`,
  );
}
