import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { allowSupport, aKey, anOperator, api, aTenant, aUser } from '../harness.ts';
import { aBot, aVisitor, type TestBot } from '../chat/fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { plantActions } from './actions.ts';
import { plantChat, plantConversation, tokens } from './chats.ts';
import { crew, type Actor, type Crew } from './fuzz-run.ts';
import { plantWebhook } from './hooks.ts';
import { addOwnThings, aSignedInPerson } from './people.ts';

// Who sends the requests of the fuzz test: always somebody who may, with things of their own to name.

async function newMember(): Promise<Actor> {
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, botId, workspaceId, environmentId, headers } = tenant;
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  const others = [await aKey(tenant), await aKey(tenant, { keyType: 'public_widget', boundBotId: botId })];
  const people = await Promise.all(Array.from({ length: 5 }, () => aUser([{ tenantId, roles: ['viewer'] }])));
  const invited = await Promise.all(
    ['one', 'two'].map((name) => tenant.post('/invitations', { email: `${name}@example.com`, roles: ['agent'] })),
  );
  const things = [tenantId, botId, workspaceId, environmentId];
  const hooks = await plantWebhook(tenant);
  const made = [
    ...others.map(({ id }) => id),
    ...people.map(({ userId }) => userId),
    ...invited.map(({ body }) => body),
    ...(await plantChat(tenant)),
    ...hooks,
    ...(await plantActions(tenant, hooks[0] ?? '', { count: 8 })),
  ];
  const own = { tenantId, botId, workspaceId, environmentId };
  return { headers, key: key.headers, ids: walk.idsIn([...things, ...made].join(' ')), own };
}

/** For tenants apart from the members', as it may suspend them, and for new ones again and again. */
async function newOperator(): Promise<Actor> {
  const { headers, post } = await anOperator();
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, userId } = tenant;
  await allowSupport(tenant);
  const place = { userId, reason: 'For the test' };
  const email = `${userId}@parley.example`;
  const made = [
    await post(`/admin/tenants/${tenantId}/impersonate`, place),
    await post('/admin/users', { email, name: 'New', roles: ['support'] }),
  ];
  const planted = await plantActions(tenant, newId('webhook'), { count: 4 });
  return { headers, ids: walk.idsIn([...made.map(({ body }) => body), ...planted].join()), own: {} };
}

/** Somebody of our own pools, for what is about themselves. */
const newPerson = (pool: PoolName) => async (): Promise<Actor> => {
  const person = await aSignedInPerson(pool);
  const things = [await addOwnThings(person), await addOwnThings(person), await addOwnThings(person)];
  const { headers, password } = person;
  return { headers, ids: walk.idsIn(things.flat().join(' ')), own: { password } };
};

let bots: Promise<TestBot[]> | undefined;
const botsAtPages = () => Promise.all([1, 2].map(async () => aBot(await aTenant({ plan: 'enterprise' }))));

/** Somebody at a page who has not said anything yet: what they say, a bot is to answer. */
async function newNewcomer(): Promise<Actor> {
  const [bot] = await (bots ??= botsAtPages());
  if (!bot) throw new Error('there is no bot');
  const { sessionToken, visitorToken, headers } = await aVisitor(api.app, bot);
  return { headers, ids: walk.idsIn(bot.botId), own: { sessionToken, visitorToken } };
}

let guests = 0;
/** Somebody at a page, whom a person answers: nothing here waits for a bot. */
async function newGuest(): Promise<Actor> {
  const both = await (bots ??= botsAtPages());
  const bot = both[guests++ % both.length];
  if (!bot) throw new Error('there is no bot');
  const { sessionToken, visitorToken, headers } = await aVisitor(api.app, bot);
  const session = await tokens.readSession(sessionToken);
  const owner = { ...session, versionId: bot.versionId, contactId: null };
  const made = [
    await plantConversation(owner, { state: 'closed' }),
    await plantConversation(owner, { state: 'human' }),
  ];
  const own = { sessionToken, visitorToken, publicKey: bot.publicKey };
  return { headers, ids: walk.idsIn([bot.botId, ...made.flat()].join(' ')), own };
}

/** Nobody yet, but with an account to sign in to. */
const newStranger = (pool: PoolName) => async (): Promise<Actor> => {
  const { email, password, refreshToken, tenantId } = await aSignedInPerson(pool);
  return { headers: {}, ids: walk.idsIn(String(tenantId)), own: { email, password, refreshToken } };
};

export const crews = {
  public: { customer: crew(newStranger('customer'), { size: 3 }), admin: crew(newStranger('admin'), { size: 2 }) },
  visitor: crew(newGuest, { size: 6 }),
  newcomer: crew(newNewcomer, { size: 6 }),
  member: crew(newMember, { size: 4 }),
  operator: crew(newOperator, { size: 2, shift: 20 }),
  own: { member: crew(newPerson('customer'), { size: 3 }), operator: crew(newPerson('admin'), { size: 2 }) },
};

export const isOfWidget = ({ pathTemplate }: Pick<Operation, 'pathTemplate'>) => /^\/(widget|cdn)\//.test(pathTemplate);

export function crewOf({ pathTemplate, audience, isAccountRoute }: Operation): Crew {
  if (audience === 'visitor' || (audience === 'public' && isOfWidget({ pathTemplate }))) return crews.visitor;
  if (audience === 'public') return crews.public[pathTemplate.startsWith('/admin/') ? 'admin' : 'customer'];
  return isAccountRoute ? crews.own[audience] : crews[audience];
}

/** What was made can be named in later requests. */
export function remember(actor: Actor, body: string) {
  const made = body.match(/"(?:id|userId)":"\w+"/g)?.join() ?? '';
  for (const [prefix, found] of walk.idsIn(made)) {
    if (prefix === 'whk') continue; // the deliveries that can be named belong to the one that was there
    const known = actor.ids.get(prefix) ?? [];
    actor.ids.set(prefix, [...new Set([...known, ...found])].slice(-100));
  }
}
