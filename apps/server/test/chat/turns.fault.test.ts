import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { seedBot } from '../../../../tools/demo/seed-bot.ts';
import { startModelServer } from '../../../../tools/model/index.ts';
import { freePort, startRestate } from '../../../../tools/stack/index.ts';
import { createTenant } from '../../src/features/tenants/tenants.service.ts';
import { Permission } from '../../src/platform/access.contract.ts';
import { inTenant } from '../../src/platform/context.ts';
import { connect } from '../../src/platform/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { services, settings, ownDir } from '../harness.ts';
import { startChild, type Child } from '../faults/child.ts';
import { startOwnDatabase } from '../faults/own-database.ts';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import { page } from './fixture.ts';
import { chatUntilAnswered, readLog, type Chat } from './retrying-client.ts';

// Kills the worker, the API, Restate and PostgreSQL at random while turns run.

const random = randomFrom(seed);
const dir = ownDir('faults-turns');
const restate = await startRestate(dir, { partitions: 4 });
const model = await startModelServer();
const database = await startOwnDatabase('turns');
const root = connect(database.urlAs('postgres'), { max: 2 });
const [apiPort, workerPort] = [await freePort(), await freePort()];
const apiUrl = `http://127.0.0.1:${apiPort}`;

const common = settings({
  LOG_LEVEL: 'info',
  DATABASE_URL: database.urlAs('parley_app'),
  DATABASE_POOL_SIZE: '20',
  RESTATE_INGRESS_URL: restate.ingressUrl,
  RESTATE_ADMIN_URL: restate.adminUrl,
  RESTATE_IDENTITY_KEYS: restate.identityKey,
  WORKER_PORT: String(workerPort),
  PORT: String(apiPort),
  TRUSTED_PROXIES: '127.0.0.1',
  MODELS: JSON.stringify([
    {
      name: 'default',
      provider: 'openai-compatible',
      baseUrl: model.url,
      model: 'm',
      inputPrice: 0.1,
      outputPrice: 0.1,
    },
  ]),
  EGRESS_OPEN_HOSTS: `${settings()['EGRESS_OPEN_HOSTS']},${model.host}`,
});
const children: Record<'api' | 'worker', Child> = {
  api: startChild('src/api.ts', common),
  worker: startChild('src/worker.ts', common),
};

afterAll(async () => {
  for (const child of Object.values(children)) child.signal('SIGKILL');
  await restate.kill();
  await model.close();
  await root.destroy();
  await database.remove();
  rmSync(dir, { recursive: true, force: true });
});

async function aPublishedBot() {
  const db = connect(database.urlAs('parley_app'), { max: 1 });
  const tenantId = newId('tenant');
  const caller = { tenantId, actor: { type: 'system', id: 'test' } as const, permissions: new Set(Permission.options) };
  const bot = await inTenant({ ...services, db, wakeRelay: () => {}, notify: () => {} }, caller, async (ctx) => {
    const { workspace, environments } = await createTenant(ctx, { name: 'Test', plan: 'enterprise' });
    const [environment] = environments;
    if (!environment) throw new Error('tenant has no environment');
    const draft = { answers: { mode: 'model', models: ['default'] } };
    const chunks = [{ heading: 'Refunds', body: 'We refund the whole price within five working days.' }];
    return seedBot(ctx, {
      workspaceId: workspace.id,
      environmentId: environment.id,
      allowedOrigins: [page],
      draft,
      chunks,
    });
  });
  await db.destroy();
  return bot;
}

/** Each kills one process and restarts it within two seconds. */
const faults = {
  async worker() {
    children.worker.signal('SIGKILL');
    await sleep(random.between(0, 500));
    children.worker = startChild('src/worker.ts', common);
  },
  async api() {
    children.api.signal('SIGKILL');
    await sleep(random.between(0, 500));
    children.api = startChild('src/api.ts', common);
  },
  async restate() {
    await restate.kill();
    await sleep(random.between(0, 500));
    await restate.start();
  },
  async postgres() {
    process.kill(database.postgres.pid() ?? 0, 'SIGQUIT'); // immediate shutdown, without waiting for sessions
    await database.postgres.stop();
    await sleep(random.between(0, 500));
    await database.postgres.start();
  },
};

const minTurns = Math.max(6, rounds * 2);
const minKills = 3;
/** A run with few rounds then lets all turns finish. */
const maxKills = rounds >= 100 ? Infinity : minKills;
const atOnce = rounds >= 100 ? 20 : 5;

test(
  `writes one reply for each of at least ${minTurns} turns while worker, API, Restate and PostgreSQL are killed`,
  { timeout: 120_000 + minTurns * 2_000 },
  async () => {
    console.log(`turns: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    await Promise.all(Object.values(children).map(({ ready }) => ready));
    const bot = await aPublishedBot();
    // Each model call returns a different text, so a repeated call is visible in the reply.
    model.script = (_request, n) => ({
      tokens: Array.from({ length: 20 }, (_, word) => `w${n}-${word}`),
      everyMs: 100,
    });

    model.calls.length = 0;
    let isOver = false;
    let kills = 0;
    const killed: Record<string, number> = {};
    const killing = (async () => {
      while (!isOver && kills < maxKills) {
        await sleep(random.between(500, 2_500));
        if (isOver) break;
        const name = random.pick(Object.keys(faults) as (keyof typeof faults)[]);
        killed[name] = (killed[name] ?? 0) + 1;
        kills++;
        await faults[name]();
        // Wait until the killed process is back before the next kill, however slow the machine.
        await Promise.all(Object.values(children).map(({ ready }) => ready));
      }
    })();

    const chats: Chat[] = [];
    let started = 0;
    const visit = async () => {
      // Keep turns running until there were enough kills, however fast the machine.
      while (started < minTurns || kills < minKills) {
        const n = started++;
        chats.push(
          await chatUntilAnswered(apiUrl, { ...bot, ip: `10.9.${n >> 8}.${n & 255}`, question: `refund ${n}` }),
        );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, visit));
    isOver = true;
    const turns = started;
    await killing;
    await Promise.all(Object.values(children).map(({ ready }) => ready));

    // No open turns or timers are left.
    const open = () =>
      sql<{ n: number }>`select count(*)::int as n from turns where status in ('queued', 'running')`.execute(root);
    await expect.poll(async () => (await open()).rows[0]?.n, { timeout: 60_000 }).toBe(0);

    const all = await root
      .selectFrom('conversationEvents')
      .select(['conversationId', 'seq', 'type', 'turnId', 'payload', 'clientMessageId'])
      .orderBy('seq')
      .execute();
    const ours = new Set(chats.map(({ conversationId }) => conversationId));
    const events = all.filter(({ conversationId }) => ours.has(conversationId));
    const questions = events.filter(({ clientMessageId }) => clientMessageId !== null);
    expect(questions.length, 'one message each, however often it was sent').toBe(turns);
    for (const { turnId, conversationId } of questions) {
      const log = events.filter((event) => event.conversationId === conversationId);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, position) => position + 1));
      expect(log.filter((event) => event.turnId === turnId && event.type === 'reply.completed')).toHaveLength(1);
    }

    // No model was called after its response had been saved.
    const steps = await root
      .selectFrom('turnSteps')
      .innerJoin('turns', 'turns.id', 'turnSteps.turnId')
      .select(['turnSteps.turnId', 'turnSteps.createdAt', 'turns.conversationId'])
      .where('name', '=', 'model 1')
      .execute();
    const late = steps
      .filter(({ conversationId }) => ours.has(conversationId))
      .flatMap(({ conversationId, createdAt }) => {
        const question = questions.find((event) => event.conversationId === conversationId)?.payload as {
          text: string;
        };
        const calls = model.calls.filter(({ body }) => body.messages.at(-1)?.content === question.text);
        return calls
          .filter(({ at }) => at > createdAt.getTime())
          .map(({ at }) => `${question.text}: ${at - createdAt.getTime()} ms after, ${calls.length} calls`);
      });
    expect(late, 'asked again after it was kept').toEqual([]);

    // Live and later clients have the same text.
    for (const chat of chats) {
      const reply = events.find(
        ({ conversationId, type }) => conversationId === chat.conversationId && type === 'reply.completed',
      );
      const { text, finish } = (reply?.payload ?? {}) as { text?: string; finish?: string };
      expect(chat.text).toBe(text);
      expect(finish, text).not.toBe('stopped');
    }
    for (const chat of chats.slice(0, 20)) expect((await readLog(apiUrl, chat)).text).toBe(chat.text);

    const { rows: timers } = await sql`select from directory.timers where kind = 'turn'`.execute(root);
    expect(timers).toEqual([]);
    const repeats = model.calls.length - turns;
    const modes = await sql<{ mode: string; n: number }>`select mode, count(*)::int as n from turns group by 1`.execute(
      root,
    );
    console.log(
      `turns: ${turns} answered once each; killed ${JSON.stringify(killed)}; ${repeats} model calls more than turns, none after its step was kept; modes ${JSON.stringify(modes.rows)}`,
    );
  },
);
