// A demo tenant with three weeks of history, created by the product's own services with a moved clock. It runs before the
// worker, which would process what is due; its last line of output is the result of seedDemo, as JSON.
import { insertAccount } from '../../../apps/server/src/features/accounts/accounts.store.ts';
import { updateDraft } from '../../../apps/server/src/features/bots/bots.service.ts';
import { deployBot, publishBot } from '../../../apps/server/src/features/bots/versions.service.ts';
import { createVersions } from '../../../apps/server/src/features/conversations/turn/versions.ts';
import { addMember } from '../../../apps/server/src/features/members/index.ts';
import { saveInstalls } from '../../../apps/server/src/features/widget-sessions/installs.store.ts';
import { permissionsOf, rolePermissions } from '../../../apps/server/src/features/users/roles.ts';
import { inTenant, type Caller, type Context, type Services } from '../../../apps/server/src/platform/context.ts';
import { openKeyring } from '../../../apps/server/src/platform/crypto.ts';
import { connect } from '../../../apps/server/src/platform/db.ts';
import { newId } from '../../../apps/server/src/platform/ids.ts';
import { enterPool } from '../../../apps/server/src/platform/pool.ts';
import { createLog } from '../../../apps/server/src/platform/telemetry.ts';
import { addKnowledge } from '../seed-bot.ts';
import { seedDemo } from '../seed.ts';
import { openChat } from './chats.ts';
import { clock, randomFrom } from './clock.ts';
import { addPastPartitions, dateByIds } from './database-clock.ts';
import { logDeliveries } from './deliveries.ts';
import { playDays, playToday } from './days.ts';
import { germanHelp, team } from './script.ts';

const dayMs = 86_400_000;
const settings = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
const siteUrl = settings['SITE_URL'] ?? '';
const firstDay = clock.realNow - 21 * dayMs;

const admin = connect(settings['ADMIN_DATABASE_URL'] ?? '', { max: 1 });
await addPastPartitions(admin, firstDay - dayMs);
clock.set(firstDay);
const demo = await seedDemo(settings, siteUrl, settings['RECEIVER_URL'], 'Northlight');

const db = connect(settings['DATABASE_URL'] ?? '', { max: 2 });
const services: Services = {
  db,
  keyring: openKeyring(settings['MASTER_KEYS'] ?? ''),
  wakeRelay: () => {},
  notify: () => {},
};
const parts = { services, log: createLog('parley-demo', 'warn'), versions: createVersions(), sendsEmail: false };
const { tenantId, environmentId, botId } = demo;
const memberCaller = (userId: string, name: string, email: string, roles: readonly string[]): Caller => ({
  tenantId,
  actor: { type: 'user', id: userId },
  permissions: permissionsOf(rolePermissions, roles),
  profile: { email, name, roles },
});
const ada = memberCaller(demo.customerId, 'Ada Demo', demo.customer.email, ['owner']);

/** Accounts without a password, which no one needs here. */
async function addTeam(): Promise<Map<string, Caller>> {
  const callers = new Map([[demo.customer.email, ada]]);
  for (const { name, email, roles } of team) {
    clock.advance(3 * 3_600_000);
    const userId = newId('user');
    // Emails are unique in a deployment, and each start creates a new tenant.
    const unique = email.replace('@', `+${tenantId.slice(-6)}@`);
    await inTenant(services, ada, async (ctx) => {
      await enterPool(ctx.tx, 'customer', (tx) =>
        insertAccount(tx, { userId, email: unique, name, locale: 'en', passwordHash: null }),
      );
      await addMember(ctx, userId, [...roles], () => {});
    });
    callers.set(email, memberCaller(userId, name, unique, roles));
  }
  return callers;
}

async function publish(ctx: Context, notes: string, draft?: object) {
  const none = () => {};
  if (draft) {
    const { revision } = await ctx.tx
      .selectFrom('bots')
      .select('revision')
      .where('id', '=', botId)
      .executeTakeFirstOrThrow();
    await updateDraft(ctx, botId, { revision, draft }, none);
  }
  const { version } = await publishBot(ctx, botId, notes, none);
  await deployBot(ctx, botId, { environmentId, versionId: version.id }, none);
}

const random = randomFrom(20_26);
const callers = await addTeam();
for (const installedId of [botId, demo.modelBot.botId])
  await inTenant(services, ada, ({ tx }) => saveInstalls(tx, installedId, [{ origin: siteUrl, at: new Date() }]));
const shop = { tenantId, environmentId, botId, serverKeyId: demo.serverKeyId, siteUrl };
const outage = { from: clock.realNow - 9 * dayMs, until: clock.realNow - 9 * dayMs + 7 * 3_600_000 };
const emma = callers.get('emma@northlight.example') ?? ada;
await playDays({ parts, shop, callers, random, from: firstDay, until: clock.realNow, openChat, onDay: changeBot });
await playToday({ parts, shop, callers, random, from: firstDay, until: clock.realNow, openChat });
clock.set(clock.realNow);
await logDeliveries(services, { tenantId, webhookId: demo.webhookId, outage, random });
await db.destroy();
clock.stop();
await dateByIds(admin, tenantId, clock.realNow);
await admin.destroy();
console.log(JSON.stringify(demo));

async function changeBot(daysAgo: number) {
  if (daysAgo === 19)
    await inTenant(services, emma, async (ctx) => {
      await addKnowledge(ctx, botId, germanHelp, { name: 'Hilfe', language: 'de' });
      await publish(ctx, 'Adds help in German', { languages: ['en', 'de'] });
    });
  if (daysAgo === 8)
    await inTenant(services, callers.get('ben@northlight.example') ?? ada, (ctx) =>
      publish(ctx, 'Quick replies for the most frequent questions', {
        quickReplies: ['How long does delivery take?', 'How do I return something?', 'Where is my order?'],
      }),
    );
}
