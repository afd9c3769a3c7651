import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { newId } from '../../src/platform/ids.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { admin, allowSupport, aKey, anOperator, api, aTenant, aUser } from '../harness.ts';
import { aBot, aVisitor, type TestBot } from '../chat/fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { plantActions } from './actions.ts';
import { plantChat, plantConversation, tokens } from './chats.ts';
import { actorGroup, type Actor, type ActorGroup } from './fuzz-run.ts';
import { plantWebhook } from './hooks.ts';
import { addOwnThings, aSignedInPerson } from './people.ts';

// The senders of fuzz requests: each is authorized, and owns objects whose ids the requests can use.

async function newMember(): Promise<Actor> {
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, botId, workspaceId, environmentId, headers } = tenant;
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  const others = [await aKey(tenant), await aKey(tenant, { keyType: 'public_widget', boundBotId: botId })];
  const people = await Promise.all(Array.from({ length: 5 }, () => aUser([{ tenantId, roles: ['viewer'] }])));
  const invited = await Promise.all(
    ['one', 'two'].map((name) => tenant.post('/invitations', { email: `${name}@example.com`, roles: ['agent'] })),
  );
  const ownIds = [tenantId, botId, workspaceId, environmentId];
  const hooks = await plantWebhook(tenant);
  const created = [
    ...others.map(({ id }) => id),
    ...people.map(({ userId }) => userId),
    ...invited.map(({ body }) => body),
    ...(await plantChat(tenant)),
    ...hooks,
    ...(await plantActions(tenant, hooks[0] ?? '', { count: 8 })),
    await plantSupportRequest(tenantId),
  ];
  const own = { tenantId, botId, workspaceId, environmentId };
  return { headers, key: key.headers, ids: walk.idsIn([...ownIds, ...created].join(' ')), own };
}

async function plantSupportRequest(tenantId: string): Promise<string> {
  const id = newId('supportRequest');
  const request = { tenantId, id, operatorId: newId('user'), operatorName: 'Ada', reason: 'For the test' };
  await admin.insertInto('supportRequests').values(request).execute();
  return id;
}

/** Has tenants separate from the members', as it may suspend them; replaced regularly. */
async function newOperator(): Promise<Actor> {
  const { headers, post } = await anOperator();
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, userId } = tenant;
  await allowSupport(tenant);
  const target = { userId, reason: 'For the test' };
  const email = `${userId}@parley.example`;
  const created = [
    await post(`/admin/tenants/${tenantId}/impersonate`, target),
    await post('/admin/users', { email, name: 'New', roles: ['support'] }),
    await post('/admin/announcements', { title: 'Hello', text: 'All', kind: 'info' }),
  ];
  const hooks = await plantWebhook(tenant);
  const planted = await plantActions(tenant, hooks[0] ?? '', { count: 4 });
  const ids = walk.idsIn([tenantId, ...created.map(({ body }) => body), ...hooks, ...planted].join());
  return { headers, ids, own: {} };
}

/** A user of either pool, for the routes about their own account. */
const newPerson = (pool: PoolName) => async (): Promise<Actor> => {
  const person = await aSignedInPerson(pool);
  const ownIds = [await addOwnThings(person), await addOwnThings(person), await addOwnThings(person)];
  const { headers, password } = person;
  return { headers, ids: walk.idsIn(ownIds.flat().join(' ')), own: { password } };
};

let bots: Promise<TestBot[]> | undefined;
const botsAtPages = () => Promise.all([1, 2].map(async () => aBot(await aTenant({ plan: 'enterprise' }))));

/** A visitor who has not sent a message yet: a bot replies to theirs. */
async function newNewcomer(): Promise<Actor> {
  const [bot] = await (bots ??= botsAtPages());
  if (!bot) throw new Error('no bot');
  const { sessionToken, visitorToken, headers } = await aVisitor(api.app, bot);
  return { headers, ids: walk.idsIn(bot.botId), own: { sessionToken, visitorToken } };
}

let guests = 0;
/** A visitor whose conversation is assigned to an agent: nothing waits for a bot. */
async function newGuest(): Promise<Actor> {
  const both = await (bots ??= botsAtPages());
  const bot = both[guests++ % both.length];
  if (!bot) throw new Error('no bot');
  const { sessionToken, visitorToken, headers } = await aVisitor(api.app, bot);
  const session = await tokens.readSession(sessionToken);
  const owner = { ...session, versionId: bot.versionId, contactId: null };
  const created = [
    await plantConversation(owner, { state: 'closed' }),
    await plantConversation(owner, { state: 'human' }),
  ];
  const own = { sessionToken, visitorToken, publicKey: bot.publicKey };
  return { headers, ids: walk.idsIn([bot.botId, ...created.flat()].join(' ')), own };
}

/** Not signed in, but with an account to sign in to. */
const newStranger = (pool: PoolName) => async (): Promise<Actor> => {
  const { email, password, refreshToken, tenantId } = await aSignedInPerson(pool);
  return { headers: {}, ids: walk.idsIn(String(tenantId)), own: { email, password, refreshToken } };
};

/** A sample sends so few requests that one tenant or person rarely meets a rate limit, and creating them costs more. */
const size = (full: number) => ({ size: isFull ? full : 1 });
export const actorGroups = {
  public: {
    customer: actorGroup(newStranger('customer'), size(3)),
    admin: actorGroup(newStranger('admin'), size(2)),
  },
  visitor: actorGroup(newGuest, size(6)),
  newcomer: actorGroup(newNewcomer, size(6)),
  member: actorGroup(newMember, size(4)),
  operator: actorGroup(newOperator, { ...size(2), maxUses: 20 }),
  own: {
    member: actorGroup(newPerson('customer'), size(3)),
    operator: actorGroup(newPerson('admin'), size(2)),
  },
};

export const isOfWidget = ({ pathTemplate }: Pick<Operation, 'pathTemplate'>) => /^\/(widget|cdn)\//.test(pathTemplate);

export function actorsFor({ pathTemplate, audience, isAccountRoute }: Operation): ActorGroup {
  if (audience === 'visitor' || (audience === 'public' && isOfWidget({ pathTemplate }))) return actorGroups.visitor;
  if (audience === 'public') return actorGroups.public[pathTemplate.startsWith('/admin/') ? 'admin' : 'customer'];
  return isAccountRoute ? actorGroups.own[audience] : actorGroups[audience];
}

/** Makes created objects available to later requests. */
export function addIds(actor: Actor, body: string) {
  const created = body.match(/"(?:id|userId)":"\w+"/g)?.join() ?? '';
  for (const [prefix, found] of walk.idsIn(created)) {
    if (prefix === 'whk') continue; // the known deliveries belong to the first endpoint
    const known = actor.ids.get(prefix) ?? [];
    actor.ids.set(prefix, [...new Set([...known, ...found])].slice(-100));
  }
}
