import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  admin,
  api,
  aTenant,
  eventsOf,
  inside,
  openApi,
  send,
  countLockWaits,
  type TestTenant,
} from '../../../test/harness.ts';
import { newId } from '../../platform/ids.ts';
import type { Model } from '../models/models.contract.ts';
import { createBotState } from './bot-state.ts';
import type { Bot, BotVersion, UpdateDraft } from './bots.contract.ts';
import { contentOf, freezeDraft } from './index.ts';

const read = async (tenant: TestTenant) => (await tenant.get(`/bots/${tenant.botId}`)).json<{ bot: Bot }>().bot;
const edit = async (tenant: TestTenant, draft: UpdateDraft['draft']) =>
  tenant.patch(`/bots/${tenant.botId}/draft`, { revision: (await read(tenant)).revision, draft });
const publish = (tenant: TestTenant, notes = '') => tenant.post(`/bots/${tenant.botId}/versions`, { notes });
/** Publishes a version with this greeting. */
async function aVersion(tenant: TestTenant, greeting: string): Promise<BotVersion> {
  await edit(tenant, { greeting });
  const response = await publish(tenant);
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ version: BotVersion }>().version;
}
const deploy = (tenant: TestTenant, versionId: string, environmentId = tenant.environmentId, botId = tenant.botId) =>
  tenant.post(`/bots/${botId}/deployments`, { environmentId, versionId });
const versions = async (tenant: TestTenant, query = '') =>
  (await tenant.get(`/bots/${tenant.botId}/versions${query}`)).json<{
    data: BotVersion[];
    nextCursor: string | null;
  }>();
const aSource = async (tenant: TestTenant, isEnabled = true, botId = tenant.botId) => {
  const id = newId('knowledgeSource');
  const row = { tenantId: tenant.tenantId, id, botId, kind: 'text', name: 'Source', config: '{}', createdBy: 'test' };
  await admin
    .insertInto('knowledgeSources')
    .values({ ...row, isEnabled })
    .execute();
  return id;
};
const aModel = async (tenant: TestTenant) => {
  const name = newId('request');
  const body = { name, provider: 'openai', model: 'small', inputPrice: 1, outputPrice: 2 };
  return (await tenant.post('/models', body)).json<{ model: Model }>().model.id;
};
const reasonOf = (response: { json(): { error: { reason: string } } }) => response.json().error.reason;

describe('publishing', () => {
  test('returns 201 and freezes the draft and its enabled sources', async () => {
    const tenant = await aTenant();
    const sources = [await aSource(tenant), await aSource(tenant)];
    await aSource(tenant, false);
    await edit(tenant, { greeting: 'Hello', answers: { temperature: 0.5 }, texts: { constructor: 'x' } });
    const published = await publish(tenant, 'First');
    expect(published.statusCode, published.body).toBe(201);
    const { version } = published.json<{ version: BotVersion }>();
    expect(version).toMatchObject({
      botId: tenant.botId,
      number: 1,
      notes: 'First',
      createdBy: tenant.userId,
      content: {
        greeting: 'Hello',
        answers: { temperature: 0.5, mode: 'extractive' },
        knowledgeSourceIds: sources.toSorted(),
      },
    });

    await edit(tenant, { greeting: 'Goodbye' });
    await admin
      .updateTable('knowledgeSources')
      .set({ isEnabled: false })
      .where('tenantId', '=', tenant.tenantId)
      .execute();
    expect((await tenant.get(`/bots/${tenant.botId}/versions/${version.id}`)).json()).toEqual({ version });
    expect(await inside(tenant.tenantId, ({ tx }) => contentOf(tx, version.id))).toEqual(version.content);
    expect(await eventsOf(tenant.tenantId)).toContain('bot.published');
  });

  test.each([
    ['changed', sql`update bot_versions set notes = 'other'`],
    ['deleted', sql`delete from bot_versions`],
    ['numbered later', sql`update bot_versions set number = 9 where number is null`],
  ])('the database does not allow a version to be %s', async (_name, statement) => {
    const tenant = await aTenant();
    await aVersion(tenant, 'Hello');
    await expect(inside(tenant.tenantId, ({ tx }) => statement.execute(tx))).rejects.toThrow('permission denied');
  });

  test('the hash is SHA-256 of the content as JSON with sorted keys', async () => {
    const tenant = await aTenant();
    const { content, contentHash } = await aVersion(tenant, 'Grüße');
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([name, part]) => [name, sorted(part)]),
            )
          : value;
    expect(contentHash).toBe(hash('sha256', JSON.stringify(sorted(content)), 'hex'));
  });

  test('returns 409 nothing_to_publish if the content equals the newest version', async () => {
    const tenant = await aTenant();
    await aVersion(tenant, 'Hello');
    await edit(tenant, { greeting: 'Other' });
    await edit(tenant, { greeting: 'Hello' });
    const again = await publish(tenant, 'With other notes');
    expect([again.statusCode, reasonOf(again)]).toEqual([409, 'nothing_to_publish']);

    await aSource(tenant); // sources are part of the content
    expect((await publish(tenant)).json().version.number).toBe(2);
    await aVersion(tenant, 'Other');
    await admin
      .updateTable('knowledgeSources')
      .set({ isEnabled: false })
      .where('tenantId', '=', tenant.tenantId)
      .execute();
    await edit(tenant, { greeting: 'Hello' }); // the same as version 1, but not as the newest
    expect((await publish(tenant)).json().version.number).toBe(4);
  });

  test('returns 400 while the draft uses a deleted model', async () => {
    const tenant = await aTenant({ plan: 'enterprise' });
    const [kept, deleted] = [await aModel(tenant), await aModel(tenant)];
    await edit(tenant, { answers: { models: [kept, deleted, 'default'] } });
    await send('DELETE', `/models/${deleted}`, tenant.headers);
    const refused = await publish(tenant);
    expect([refused.statusCode, reasonOf(refused)]).toEqual([400, 'model_not_found']);
    expect(refused.body).toContain(deleted);
    expect(refused.body).not.toContain(kept);
    expect((await edit(tenant, { greeting: 'Still to be edited' })).statusCode).toBe(200);
    await edit(tenant, { answers: { models: [kept, 'default'] } });
    expect((await publish(tenant)).statusCode).toBe(201);
  });

  test('returns 404 when a draft uses an unknown model or one of another tenant', async () => {
    const [tenant, other] = [await aTenant({ plan: 'enterprise' }), await aTenant({ plan: 'enterprise' })];
    for (const missing of [newId('model'), await aModel(other)]) {
      const draft = { answers: { models: ['default' as const, missing] } };
      for (const response of [await edit(tenant, draft), await tenant.post('/bots', { name: 'Bot', draft })])
        expect([response.statusCode, reasonOf(response)]).toEqual([404, 'model_not_found']);
    }
    expect((await read(tenant)).draft.answers.models).toEqual(['default']);
  });

  test('assigns the numbers 1 to 20 to 20 concurrent requests', async () => {
    const tenant = await aTenant();
    /** Retries until the draft differs from the newest version. */
    const publishOne = async () => {
      for (;;) {
        const response = await publish(tenant);
        if (response.statusCode !== 409) return response;
        expect(reasonOf(response)).toBe('nothing_to_publish');
      }
    };
    const publishing = Promise.all(Array.from({ length: 20 }, publishOne));
    let isDone = false;
    const editing = (async () => {
      for (let n = 0; !isDone; n++) {
        const draft = JSON.stringify({ greeting: `Hello ${n}` });
        await admin.updateTable('bots').set({ draft }).where('id', '=', tenant.botId).execute();
      }
    })();
    const responses = await publishing.finally(() => (isDone = true));
    await editing;
    expect(responses.filter(({ statusCode }) => statusCode !== 201).map(({ body }) => body)).toEqual([]);
    const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
    const made = responses.map((response) => response.json<{ version: BotVersion }>().version.number);
    expect(new Set(made)).toEqual(new Set(numbers));
    expect((await versions(tenant)).data.map(({ number }) => number)).toEqual(numbers.toReversed());
  });

  test('returns 409 for all but one of four concurrent requests for the same draft', async () => {
    const tenant = await aTenant();
    const { responses } = await admin.transaction().execute(async (tx) => {
      await tx.selectFrom('bots').select('id').where('id', '=', tenant.botId).forUpdate().execute();
      const responses = Array.from({ length: 4 }, () => publish(tenant));
      while ((await countLockWaits()) < 4) await new Promise((next) => setTimeout(next, 5));
      return { responses };
    });
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode).sort((a, b) => a - b);
    expect(statuses).toEqual([201, 409, 409, 409]);
  });

  test('lists versions newest first in pages, without content and without test versions', async () => {
    const tenant = await aTenant();
    for (let n = 1; n <= 5; n++) await aVersion(tenant, `Hello ${n}`);
    await edit(tenant, { greeting: 'Tried' });
    await inside(tenant.tenantId, (ctx) => freezeDraft(ctx, tenant.botId));
    const numbersSeen: (number | null)[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await versions(tenant, `?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.data.every((version) => !('content' in version))).toBe(true);
      numbersSeen.push(...page.data.map(({ number }) => number));
      cursor = page.nextCursor;
    }
    expect(numbersSeen).toEqual([5, 4, 3, 2, 1]);
  });
});

describe('comparing', () => {
  test('returns the differences by JSON Pointer, with lists as one value', async () => {
    const tenant = await aTenant();
    const source = await aSource(tenant);
    await edit(tenant, { texts: { open: 'Open' }, quickReplies: ['One'] });
    const a = await aVersion(tenant, 'Hello');
    await edit(tenant, { answers: { mode: 'model' }, texts: { close: 'Close' }, quickReplies: ['One', 'Two'] });
    await edit(tenant, { handoff: { afterUnanswered: null } });
    await admin.updateTable('knowledgeSources').set({ isEnabled: false }).where('id', '=', source).execute();
    const b = await aVersion(tenant, 'Hi');
    const diff = async (from: string, to: string) =>
      (await tenant.get(`/bots/${tenant.botId}/versions/${from}/diff/${to}`)).json();
    expect(await diff(a.id, b.id)).toEqual({
      changes: [
        { path: '/answers/mode', before: 'extractive', after: 'model' },
        { path: '/greeting', before: 'Hello', after: 'Hi' },
        { path: '/handoff/afterUnanswered', before: 2, after: null },
        { path: '/knowledgeSourceIds', before: [source], after: [] },
        { path: '/quickReplies', before: ['One'], after: ['One', 'Two'] },
        { path: '/texts/close', before: null, after: 'Close' },
        { path: '/texts/open', before: 'Open', after: null },
      ],
    });
    expect(await diff(b.id, b.id)).toEqual({ changes: [] });
  });

  test("returns 404 for another bot's version", async () => {
    const tenant = await aTenant();
    const mine = await aVersion(tenant, 'Hello');
    const other = { ...tenant, botId: (await tenant.post('/bots', { name: 'Other' })).json().bot.id };
    const theirs = await aVersion(other, 'Hi');
    for (const path of [`${mine.id}/diff/${theirs.id}`, `${theirs.id}/diff/${mine.id}`, theirs.id]) {
      const response = await tenant.get(`/bots/${tenant.botId}/versions/${path}`);
      expect([response.statusCode, reasonOf(response)]).toEqual([404, 'bot_version_not_found']);
    }
  });
});

describe('deploying', () => {
  test('deploys and rolls back, with the previous deployment in the event', async () => {
    const tenant = await aTenant();
    const [first, second] = [await aVersion(tenant, 'One'), await aVersion(tenant, 'Two')];
    for (const version of [first, second, first]) {
      const done = await deploy(tenant, version.id);
      expect(done.statusCode, done.body).toBe(200);
      expect(done.json().deployment).toMatchObject({
        versionId: version.id,
        number: version.number,
        deployedBy: tenant.userId,
      });
      expect((await read(tenant)).deployments).toEqual({ [tenant.environmentId]: version.id });
    }
    const events = await admin
      .selectFrom('events')
      .select(['body', 'environmentId', 'botId'])
      .where('tenantId', '=', tenant.tenantId)
      .where('type', '=', 'bot.deployed')
      .orderBy('position')
      .execute();
    const eventData = events.map(
      ({ body }) => (JSON.parse(body) as { data: Record<string, { number: number } | null> }).data,
    );
    expect(eventData.map(({ object, previous }) => [previous?.number ?? null, object?.number])).toEqual([
      [null, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(events[0]).toMatchObject({ environmentId: tenant.environmentId, botId: tenant.botId });
  });

  test('is idempotent and publishes no second event', async () => {
    const tenant = await aTenant();
    const { id } = await aVersion(tenant, 'One');
    const [first, again] = [await deploy(tenant, id), await deploy(tenant, id)];
    expect(again.json()).toEqual(first.json());
    expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'bot.deployed')).toHaveLength(1);
  });

  test('returns 404 for an environment or version of another workspace, bot or tenant', async () => {
    const [tenant, stranger] = [await aTenant(), await aTenant()];
    const { id } = await aVersion(tenant, 'One');
    const workspaceId = (await tenant.post('/workspaces', { name: 'Other' })).json().workspace.id;
    const otherEnvironment = (await tenant.post('/environments', { workspaceId, name: 'live' })).json().environment.id;
    for (const environmentId of [otherEnvironment, stranger.environmentId, newId('environment')]) {
      const response = await deploy(tenant, id, environmentId);
      expect([response.statusCode, reasonOf(response)]).toEqual([404, 'environment_not_found']);
    }
    const other = { ...tenant, botId: (await tenant.post('/bots', { name: 'Other' })).json().bot.id };
    for (const version of [await aVersion(other, 'Hi'), await aVersion(stranger, 'Hi')]) {
      const response = await deploy(tenant, version.id);
      expect([response.statusCode, reasonOf(response)]).toEqual([404, 'bot_version_not_found']);
    }
    expect((await read(tenant)).deployments).toEqual({});
  });

  test('returns 409 for a test version', async () => {
    const tenant = await aTenant();
    const frozen = await inside(tenant.tenantId, (ctx) => freezeDraft(ctx, tenant.botId));
    const response = await deploy(tenant, frozen);
    expect([response.statusCode, reasonOf(response)]).toEqual([409, 'version_not_published']);
  });

  test('takes effect in two API processes within a second, as does a rollback', async () => {
    const tenant = await aTenant();
    const other = await openApi();
    const states = [api, other].map(({ platform }) => createBotState(platform.services, platform.signals));
    const deployed = () =>
      Promise.all(
        states.map(async (bots) => {
          const { bot } = await bots.of(tenant.tenantId, tenant.botId);
          const { versionId, content } = bot?.deployments[tenant.environmentId] ?? {};
          return [versionId, content?.greeting];
        }),
      );
    const [first, second] = [await aVersion(tenant, 'One'), await aVersion(tenant, 'Two')];
    expect(await deployed()).toEqual([[], []].map(() => [undefined, undefined]));
    const times: number[] = [];
    for (const version of [first, second, first]) {
      await deploy(tenant, version.id);
      const startedAt = performance.now();
      const now = [version.id, version.content.greeting];
      await expect.poll(deployed, { timeout: 1_000, interval: 2 }).toEqual([now, now]);
      times.push(performance.now() - startedAt);
    }
    console.log(`deployed everywhere after ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`);
    await other.close();
  });
});

describe('freezing a draft for testing', () => {
  test('creates one unnumbered version per content', async () => {
    const tenant = await aTenant();
    const freeze = () => inside(tenant.tenantId, (ctx) => freezeDraft(ctx, tenant.botId));
    await edit(tenant, { greeting: 'Hello' });
    const frozen = await Promise.all([freeze(), freeze(), freeze()]);
    expect(new Set(frozen).size).toBe(1);
    expect((await publish(tenant)).json().version.number).toBe(1);
    expect(await freeze()).toBe(frozen[0]);

    await edit(tenant, { greeting: 'Goodbye' });
    const later = await freeze();
    expect(frozen).not.toContain(later);
    expect(await inside(tenant.tenantId, ({ tx }) => contentOf(tx, frozen[0] ?? ''))).toMatchObject({
      greeting: 'Hello',
    });
    expect((await tenant.get(`/bots/${tenant.botId}/versions/${later}`)).json().version).toMatchObject({
      number: null,
      content: { greeting: 'Goodbye' },
    });
  });

  test("throws bot_not_found for another tenant's bot", async () => {
    const [mine, theirs] = [await aTenant(), await aTenant()];
    await expect(inside(mine.tenantId, (ctx) => freezeDraft(ctx, theirs.botId))).rejects.toMatchObject({
      reason: 'bot_not_found',
    });
    const { id } = await aVersion(theirs, 'Hello');
    expect(await inside(mine.tenantId, ({ tx }) => contentOf(tx, id))).toBeUndefined();
  });
});
