import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../../tools/journals/flow.ts';
import { readJournals } from '../../../../tools/journals/journals.ts';
import {
  applyChanges,
  compareJournals,
  explain,
  parseRecord,
  serialiseRecord,
} from '../../../../tools/journals/record.ts';
import { canWrite } from './journal-match.ts';

const root = resolve(import.meta.dirname, '../../../..');

test('the journal of each durable handler is the recorded one', () => {
  const record = parseRecord(readFileSync(join(import.meta.dirname, 'journal-commands.txt'), 'utf8'));
  const changes = compareJournals(record, readJournals(join(root, 'apps/server/src')));
  expect(changes, explain(changes)).toEqual([]);
});

const declared = `import { iface } from '@restatedev/restate-sdk';
export const orderObject = iface.object('Order', { ship: iface.json<Call>(), cancel: iface.json<Call>() });`;
const shared = `export const maxAttempts = 3;
export async function pause(ctx: ObjectContext, seconds: number) {
  if (seconds === 0) return;
  await ctx.sleep(1_000);
  await pause(ctx, seconds - 1);
}`;
const ship = `async (ctx, call) => {
        const self = ctx.sendClient(orderObject, ctx.key);
        const giveUp = () => void self.cancel(call);
        const box = await ctx.run('pack', () => pack(call));
        await ctx.run(\`label \${box}\`, () => label(box));
        for (let attempt = 0; attempt < maxAttempts; attempt++) {
          const isSent = await ctx.run('hand over', async () => {
            if (!box) return false;
            return carry(box);
          });
          if (isSent) return;
          await pause(ctx, attempt);
        }
        giveUp();
      }`;
const implemented = `import * as restate from '@restatedev/restate-sdk';
import { orderObject } from './order.interface.ts';
import { maxAttempts, pause } from './shared.ts';
export const order = () =>
  restate.implement(orderObject, {
    options: { retryPolicy: { maxAttempts: 10 } },
    handlers: {
      ship: ${ship},
      cancel: async (ctx, call) => {
        const items = call.items.map((item) => ctx.client(orderObject, item).cancel(call).orTimeout(1_000));
        for (const item of items) await item;
        if (await ctx.get('isPaid')) ctx.set('isPaid', false);
      },
    },
  });`;

const sample = { declared, shared, implemented };
type Edit = readonly [file: keyof typeof sample, from: string, to: string];

function withEdits(...edits: readonly Edit[]): string {
  const files = { ...sample };
  for (const [file, from, to] of edits) {
    expect(files[file]).toContain(from);
    files[file] = files[file].replace(from, to);
  }
  const dir = mkdtempSync(join(tmpdir(), 'journals-'));
  writeFileSync(join(dir, 'order.interface.ts'), files.declared);
  writeFileSync(join(dir, 'shared.ts'), files.shared);
  writeFileSync(join(dir, 'order.workflow.ts'), files.implemented);
  return dir;
}

const record = applyChanges(new Map(), compareJournals(new Map(), readJournals(withEdits())), '');
const changesAfter = (...edits: readonly Edit[]) => compareJournals(record, readJournals(withEdits(...edits)));
const body = (from: string, to: string): Edit => ['implemented', from, to];

test('records commands, conditions with the values of constants, loops, and functions that use the context', () => {
  expect(serialiseRecord(record).split('\n').slice(3)).toEqual([
    'Order.cancel',
    '  for each of call.items',
    '    call Order.cancel, key item, input call',
    '    sleep (timeout)',
    '  get isPaid',
    '  if (await …)',
    '    set isPaid = false',
    '',
    'Order.ship',
    '  run pack',
    '  run label ${box}',
    '  for (let attempt = 0; attempt < 3; attempt++)',
    '    run hand over',
    '    if (isSent)',
    '      return',
    '    pause()',
    '      if (seconds === 0)',
    '        return',
    '      sleep',
    '      pause() again',
    '  giveUp()',
    '    send Order.cancel, key ctx.key, input call',
    '',
  ]);
  expect(parseRecord(serialiseRecord(record))).toEqual(record);
});

const step = "await ctx.run('pack', () => pack(call));";
test.each<[what: string, ...edits: Edit[]]>([
  ['a renamed step', body("'pack'", "'wrap'")],
  ['swapped steps', body("'pack'", "'hand over'"), body("'hand over', async", "'pack', async")],
  ['a new step', body(step, `${step}\n await ctx.run('weigh', () => weigh(box));`)],
  ['a removed step', body('await ctx.run(`label ${box}`, () => label(box));', '')],
  ['a new sleep', body(step, `${step}\n await ctx.sleep(1_000);`)],
  ['a new sleep in a function that takes the context', ['shared', 'if (seconds', 'await ctx.sleep(1);\n  if (seconds']],
  ['a new timeout', body('self.cancel(call);', 'await ctx.client(orderObject, ctx.key).cancel(call).orTimeout(1);')],
  ['a call instead of a send', body('const self = ctx.sendClient', 'const self = ctx.client')],
  ['a call with another key', body('sendClient(orderObject, ctx.key)', 'sendClient(orderObject, call.orderId)')],
  ['a call with another input', body('self.cancel(call)', 'self.cancel({ ...call, isLate: true })')],
  ['a call of another handler', body('self.cancel(call)', 'self.ship(call)')],
  ['another condition', body('if (isSent)', 'if (isSent || call.isTest)')],
  ['another constant in a condition', ['shared', 'maxAttempts = 3', 'maxAttempts = 5']],
  ['a new exit', body('await pause', 'if (call.isTest) break;\n await pause')],
  ['another state key', body("get('isPaid')", "get('isSettled')")],
  ['another service name', ['declared', "'Order'", "'Orders'"]],
])('fails on %s', (_what, ...edits) => {
  const changes = changesAfter(...edits);
  expect(changes.some(({ kind }) => kind !== 'new')).toBe(true);
  expect(explain(changes)).toContain('Invocations that started on the previous version replay this journal');
});

test('fails on a removed handler, and on a removed one that returns', () => {
  const removed = [
    ['declared', ', cancel: iface.json<Call>()', ''],
    body(implemented.slice(implemented.indexOf('      cancel:'), implemented.indexOf('    },\n  });')), ''),
    body('self.cancel', 'self.ship'),
  ] as const;
  const changes = changesAfter(...removed);
  expect(changes).toMatchObject([{ handler: 'Order.cancel', kind: 'removed' }, { handler: 'Order.ship' }]);
  const accepted = applyChanges(record, changes, 'unused since version 3');
  expect(accepted.get('Order.cancel')).toEqual({ lines: [], note: 'removed: unused since version 3' });
  expect(compareJournals(accepted, readJournals(withEdits(...removed)))).toEqual([]);
  expect(compareJournals(accepted, readJournals(withEdits()))).toMatchObject([
    { handler: 'Order.cancel', kind: 'changed' },
    { handler: 'Order.ship', kind: 'changed' },
  ]);
});

test.each<[what: string, ...edits: Edit[]]>([
  ['other code in a step', body('() => pack(call)', '() => packWell(call, services)')],
  ['other retries', body('maxAttempts: 10', 'maxAttempts: 20')],
  ['a longer pause', ['shared', '1_000', '2_000']],
  ['a comment', body(step, `${step} // fragile`)],
  ['a longer timeout', body('orTimeout(1_000)', 'orTimeout(5_000)')],
])('allows %s', (_what, ...edits) => expect(changesAfter(...edits)).toEqual([]));

test('a handler that is only declared is an error, and a new one must be recorded', () => {
  const isNew: Edit = ['declared', 'ship:', 'ship2: iface.json<Call>(), ship:'];
  expect(() => changesAfter(isNew)).toThrow('Order.ship2');
  const changes = changesAfter(
    isNew,
    body('ship: async', 'ship2: async (ctx) => void (await ctx.sleep(1)),\n ship: async'),
  );
  expect(changes).toMatchObject([{ handler: 'Order.ship2', kind: 'new', now: ['sleep'] }]);
  expect(explain(changes)).toBe('Order.ship2 is new. Run: npm run gen:journals');
});

test.each<[what: string, from: string, to: string]>([
  ['the context in a function of a package', 'await pause(ctx, attempt)', 'await waitFor(ctx)'],
  ['the context in an object', 'await pause(ctx, attempt)', 'await pause({ ctx })'],
  ['the context in a nested function', "await ctx.run('pack', ", 'await [1].reduce('],
  ['a step that uses the context', '() => pack(call)', '() => ctx.sleep(1)'],
  ['a computed name', "'pack'", 'nameOf(call)'],
  ['an unknown command', "ctx.run('pack', () => pack(call))", 'ctx.awakeable().promise'],
  ['try', step, `0; try { ${step} } catch {}`],
])('fails with the line of what it cannot read: %s', (_what, from, to) => {
  const edit = body(from, to.includes('reduce') ? `${to}() => ctx.sleep(1), ` : to);
  expect(() => changesAfter(edit)).toThrow(/order\.workflow\.ts:\d+: cannot tell what the journal contains/);
});

describe('npm run gen:journals', () => {
  const run = (dir: string, ...args: string[]) => {
    const [source, file] = [`--source=${dir}`, `--record=${join(dir, 'record.txt')}`];
    const command = ['tools/gen/journals.ts', source, file, ...args];
    return spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  };

  test('refuses a changed handler without a reason, and writes the reason down', () => {
    const dir = withEdits(body("'pack'", "'wrap'"));
    const before = serialiseRecord(record);
    writeFileSync(join(dir, 'record.txt'), before);
    for (const args of [[], ['--breaking', ' '], ['--check', '--breaking', 'reason']]) {
      const refused = run(dir, ...args);
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain('Order.ship is changed:\n  - run pack\n  + run wrap\n');
      expect(readFileSync(join(dir, 'record.txt'), 'utf8')).toBe(before);
    }
    expect(run(dir, '--breaking', 'nothing\nis deployed').status).toBe(0);
    const after = before.replace('Order.ship\n  run pack', 'Order.ship\n  # changed: nothing is deployed\n  run wrap');
    expect(readFileSync(join(dir, 'record.txt'), 'utf8')).toBe(after);
    expect(run(dir, '--check').status).toBe(0);
  });

  test('adds new handlers', () => {
    const dir = withEdits();
    writeFileSync(join(dir, 'record.txt'), '');
    expect(run(dir, '--check').status).toBe(1);
    expect(run(dir).status).toBe(0);
    expect(readFileSync(join(dir, 'record.txt'), 'utf8')).toBe(serialiseRecord(record));
  });
});

describe('a real journal', () => {
  const flow = readJournals(withEdits()).get('Order.ship') ?? [];
  const commands: Record<string, Command> = {
    pack: { type: 'run', name: 'pack' },
    label: { type: 'run', name: 'label 17' },
    send: { type: 'run', name: 'hand over' },
    sleep: { type: 'sleep', name: '' },
    cancel: { type: 'send', name: 'Order.cancel' },
    'call-cancel': { type: 'call', name: 'Order.cancel' },
  };
  const journal = (names: string) => names.split(' ').map((name) => commands[name] as Command);

  test.each([
    'pack label send',
    'pack label send send sleep sleep send',
    'pack label send sleep send cancel',
    'pack label cancel',
  ])('fits: %s', (names) => expect(canWrite(flow, journal(names))).toBe(true));
  test.each([
    'pack',
    'label pack send',
    'pack label',
    'pack label sleep send',
    'pack label send cancel send',
    'pack label call-cancel',
  ])('does not fit: %s', (names) => expect(canWrite(flow, journal(names))).toBe(false));
  test.each([
    ['pack', true],
    ['pack label send sleep', true],
    ['pack send', false],
  ])('of a running invocation: %s, %s', (names, fits) =>
    expect(canWrite(flow, journal(names), { isPartial: true })).toBe(fits),
  );
});
