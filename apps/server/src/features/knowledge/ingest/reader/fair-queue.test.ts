import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

const settle = () => new Promise((done) => setImmediate(done));

/** `ask` requests a slot for each owner in order; `running` lists the owners that have one. */
function scene(slots: number) {
  const queue = createFairQueue(slots);
  const running: string[] = [];
  return {
    running,
    ask: (...owners: string[]) => owners.forEach((owner) => void queue.take(owner).then(() => running.push(owner))),
    end: async (owner: string) => {
      running.splice(running.indexOf(owner), 1);
      queue.release(owner);
      await settle();
    },
  };
}

test('leaves a slot free for other tenants', async () => {
  const { ask, running } = scene(2);
  ask('busy', 'busy', 'busy', 'busy');
  await settle();
  expect(running).toEqual(['busy']);
  ask('small');
  await settle();
  expect(running).toEqual(['busy', 'small']);
});

test('lets waiting tenants take turns, regardless of order and number', async () => {
  const { ask, running, end } = scene(1);
  ask('a', 'a', 'a', 'b', 'c', 'b');
  await settle();
  const order: string[] = [];
  while (running.length > 0) {
    const [now = ''] = running;
    order.push(now);
    await end(now);
  }
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
});

test('reuses released slots until all tasks are done', async () => {
  const { ask, running, end } = scene(3);
  for (let n = 0; n < 30; n++) ask(`tenant ${n % 4}`);
  await settle();
  let done = 0;
  for (; running.length > 0; done++) {
    expect(running.length).toBeLessThanOrEqual(3);
    await end(running[0] ?? '');
  }
  expect(done).toBe(30);
});
