import { each } from '@parley/sdk';
import { take } from '../arguments.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { readListeners, rememberListener } from './remembered.ts';

/** An address that leads nowhere, for ever (RFC 2606): the endpoint is only ever listened to. */
const nowhere = 'https://listen.invalid/';

export interface Endpoint {
  id: string;
  /** Known where this machine made it. */
  secret: string | undefined;
  /** It has an address, was in use, and is given back when nobody listens any more. */
  isBorrowed: boolean;
  /** What came while nobody listened. */
  waiting: number;
}

/** Which there are the service knows, and says when one is none. */
type EventTypes = Parameters<Session['parley']['createWebhook']>[0]['body']['eventTypes'];

interface Wanted {
  said: string | undefined;
  environment: string;
  events: string[];
}

/** The endpoint to listen to, paused: one that was named, the one this machine made before, or a new one. */
export async function endpointFor(session: Session, wanted: Wanted): Promise<Endpoint> {
  const { parley } = session;
  const environment = await environmentNamed(session, wanted.environment);
  const place = `${session.apiUrl} ${environment.id}`;
  const remembered = (await readListeners())[place];
  const known = await existing(session, wanted.said ?? remembered?.id, wanted.said !== undefined);
  if (known && known.environmentId !== environment.id)
    throw new CliError(
      exitCodes.refused,
      'environment_mismatch',
      `This endpoint doesn’t belong to the environment “${environment.name}”. Listening to it would intercept its requests.`,
      'Choose an endpoint in that environment, or leave out --webhook to create one.',
    );
  if (known) {
    const isBorrowed = known.url !== nowhere && known.status !== 'paused';
    if (known.status !== 'paused') await parley.pauseWebhook({ path: { webhookId: known.id } });
    return {
      id: known.id,
      secret: remembered?.id === known.id ? remembered.secret : undefined,
      isBorrowed,
      waiting: known.health.waiting,
    };
  }
  const { webhook, secret } = await parley.createWebhook({
    body: {
      url: nowhere,
      eventTypes: wanted.events as EventTypes,
      environmentId: environment.id,
      description: 'parley listen',
    },
  });
  await rememberListener(place, { id: webhook.id, secret });
  await parley.pauseWebhook({ path: { webhookId: webhook.id } });
  return { id: webhook.id, secret, isBorrowed: false, waiting: 0 };
}

async function existing({ parley }: Session, id: string | undefined, isSaid: boolean) {
  if (id === undefined) return undefined;
  try {
    return (await parley.getWebhook({ path: { webhookId: id } })).webhook;
  } catch (error) {
    if (isSaid) throw error;
    return undefined; // somebody deleted the one that was remembered
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
    `Available environments: ${[...new Set(all.map((one) => one.name))].join(', ')}.`,
  );
}
