import { expect, test } from 'vitest';
import { aWebhookStack } from '../webhooks/fixture.ts';
import {
  answerBy,
  aShop,
  awaitEntry,
  confirm,
  isCard,
  isFinished,
  isSaid,
  logOf,
  reply,
  type Entry,
  type Handler,
  type Invocation,
  type Sent,
  type Shop,
} from './fixture.ts';

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
answerBy(stack.receiver, handlers);

// A trip: find it, book the flight, book the hotel, write the invoice. What was booked can be given back.

const anyObject = (...names: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const part = (name: string, more: object) => ({
  name,
  title: `Do ${name}`,
  isOffered: false,
  confirm: 'never',
  ...more,
});
const toolCall = {
  type: 'object',
  additionalProperties: false,
  required: ['trip'],
  properties: { trip: { type: 'string', pattern: '^T-\\d+$' } },
};
const written = { risk: 'write', effect: 'at_most_once', confirm: 'writes' };
const parts = [
  part('find', { inputSchema: anyObject('trip') }),
  part('flight', { inputSchema: anyObject('place', 'class'), ...written }),
  part('hotel', { inputSchema: anyObject('place', 'flight'), ...written }),
  part('invoice', { inputSchema: anyObject('hotel') }),
  part('return_flight', { inputSchema: anyObject('flight', 'why'), ...written }),
  part('return_hotel', { inputSchema: anyObject('hotel'), ...written }),
];

const steps = [
  { name: 'search', actionId: 'find', input: { trip: { from: '/input/trip' } } },
  {
    name: 'fly',
    actionId: 'flight',
    input: { place: { from: '/steps/search/place/0/name' }, class: { value: 'economy' } },
    when: { from: '/steps/search/needs~1flight', differs: false },
    compensation: {
      actionId: 'return_flight',
      input: { flight: { from: '/steps/fly/flight' }, why: { value: 'no hotel' } },
    },
  },
  {
    name: 'stay',
    actionId: 'hotel',
    input: { place: { from: '/steps/search/place/0/name' }, flight: { from: '/steps/fly/flight' } },
    when: { from: '/steps/search/hotel', equals: 'wanted' },
    compensation: { actionId: 'return_hotel', input: { hotel: { from: '/steps/stay/hotel' } } },
  },
  {
    name: 'bill',
    actionId: 'invoice',
    input: { hotel: { from: '/steps/stay/hotel' } },
    when: { from: '/steps/search/noBill', exists: false },
  },
];
const trip = (more: object = {}) => ({
  name: 'book_trip',
  title: 'Book a trip',
  webhookId: null,
  inputSchema: toolCall,
  risk: 'write',
  confirm: 'never', // each step that writes is shown instead
  triggers: ['book the trip'],
  steps,
  output: { flight: { from: '/steps/fly/flight' }, bill: { from: '/steps/bill/number' }, paid: { value: false } },
  ...more,
});

const good: Record<string, object> = {
  find: { place: [{ name: 'Rome' }], 'needs/flight': true, hotel: 'wanted' },
  flight: { flight: 'F1' },
  hotel: { hotel: 'H1' },
  invoice: { number: 'I1' },
  return_flight: {},
  return_hotel: {},
};

interface Agency {
  shop: Shop;
  /** In the order in which they came. */
  calls: Invocation[];
}
/** Its system answers as given, by the name of the action, and well otherwise. */
async function anAgency(
  answers: Record<string, (call: Invocation) => [number, object]> = {},
  more: object = {},
): Promise<Agency> {
  const calls: Invocation[] = [];
  const handler: Handler = (call, response) => {
    calls.push(call);
    const [status, body] = answers[call.action]?.(call) ?? [200, { output: good[call.action] ?? {} }];
    return reply(response, status, body);
  };
  return { calls, shop: await aShop(stack, handlers, handler, [...parts, trip(more)]) };
}

/** Asks for the trip, and agrees to whatever is asked. */
async function book({ shop }: Agency) {
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('book the trip T-1')).json<Sent>();
  const agreed = new Set<unknown>();
  const ended = async () => {
    for (;;) {
      const isNew = (entry: Entry) => isCard(entry) && !agreed.has(entry.data['runId']);
      const next = await awaitEntry(visitor, conversationId, (entry) => isNew(entry) || isFinished(entry));
      if (isFinished(next)) return next;
      agreed.add(next.data['runId']);
      expect((await confirm(visitor, conversationId, next)).statusCode).toBe(200);
    }
  };
  const whole = async () => {
    const [{ id } = { id: '' }] = await shop.runs(`?conversationId=${conversationId}`);
    return shop.run(id);
  };
  return { visitor, conversationId, ended, whole };
}
const failed = (): [number, object] => [422, { error: { code: 'full', message: 'Nothing is free.' } }];
const names = (calls: readonly Invocation[]) => calls.map(({ action }) => action);

test('each step gets what was found before it, in order, and the result is what the mapping says', async () => {
  const agency = await anAgency();
  const { ended, whole } = await book(agency);
  expect((await ended()).data).toMatchObject({ state: 'succeeded', outcome: 'succeeded' });
  expect(agency.calls.map(({ action, step, input }) => [action, step, input])).toEqual([
    ['find', 'search', { trip: 'T-1' }],
    ['flight', 'fly', { place: 'Rome', class: 'economy' }],
    ['hotel', 'stay', { place: 'Rome', flight: 'F1' }],
    ['invoice', 'bill', { hotel: 'H1' }],
  ]);
  const run = await whole();
  expect(run.output).toEqual({ flight: 'F1', bill: 'I1', paid: false });
  expect(run.steps.map(({ step, state, isCompensation }) => [step, state, isCompensation])).toEqual(
    ['search', 'fly', 'stay', 'bill'].map((step) => [step, 'succeeded', false]),
  );
  expect(new Set(agency.calls.map(({ id }) => id)).size).toBe(4);
});

test('a step whose condition does not hold is left out: equals, differs and exists', async () => {
  const plain = { place: [{ name: 'Rome' }] };
  const without = async (output: object) => {
    const agency = await anAgency({ find: () => [200, { output }] });
    const { ended, whole } = await book(agency);
    await ended();
    return { ran: names(agency.calls), output: (await whole()).output };
  };
  const [noFlight, noHotel, noBill] = await Promise.all([
    without({ ...plain, 'needs/flight': false, noBill: true }),
    without({ ...plain, hotel: 'none', noBill: 1 }),
    without({ ...plain, hotel: 'wanted', noBill: 'yes' }),
  ]);
  expect(noFlight).toEqual({ ran: ['find'], output: { paid: false } });
  expect(noHotel).toEqual({ ran: ['find', 'flight'], output: { flight: 'F1', paid: false } });
  expect(noBill.ran).toEqual(['find', 'flight', 'hotel']);
});

test('a step fails: what was done before is undone, last first, once each, with what belongs to it', async () => {
  const agency = await anAgency({ invoice: failed });
  const { ended, whole, visitor, conversationId } = await book(agency);
  expect((await ended()).data).toMatchObject({ state: 'failed', outcome: 'failed' });
  expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel', 'invoice', 'return_hotel', 'return_flight']);
  expect(agency.calls.slice(-2).map(({ input, step }) => [step, input])).toEqual([
    ['stay', { hotel: 'H1' }],
    ['fly', { flight: 'F1', why: 'no hotel' }],
  ]);
  expect((await whole()).steps.filter(({ isCompensation }) => isCompensation)).toHaveLength(2);
  await awaitEntry(visitor, conversationId, isSaid(/didn’t work/));
});

test('a step whose input does not fit is neither shown nor sent: it has failed, and the rest is undone', async () => {
  const wrong = { place: { value: 5 }, flight: { from: '/steps/fly/flight' } };
  const long = { place: { value: 'Rome' }, flight: { from: '/steps/search/notes' } };
  for (const input of [wrong, long]) {
    const agency = await anAgency(
      { find: () => [200, { output: { ...good['find'], notes: 'x'.repeat(2_001) } }] },
      { steps: steps.map((one) => (one.name === 'stay' ? { ...one, input } : one)) },
    );
    const { ended, whole, visitor, conversationId } = await book(agency);
    expect((await ended()).data).toMatchObject({ state: 'failed', outcome: 'failed' });
    expect((await whole()).reason).toBe('invalid_input');
    expect(names(agency.calls)).toEqual(['find', 'flight', 'return_flight']);
    expect((await logOf(visitor, conversationId)).filter(isCard)).toHaveLength(1);
  }
});

test('each step that writes is shown first, where the whole is not: declined at the second, the first is undone', async () => {
  const agency = await anAgency();
  const visitor = await agency.shop.visitor();
  const { conversationId } = (await visitor.say('book the trip T-1')).json<Sent>();
  const isCardFor = (title: string) => (entry: Entry) => isCard(entry) && entry.data['title'] === title;
  const first = await awaitEntry(visitor, conversationId, isCardFor('Do flight'));
  expect(names(agency.calls)).toEqual(['find']);
  await confirm(visitor, conversationId, first);
  const second = await awaitEntry(visitor, conversationId, isCardFor('Do hotel'));
  expect(names(agency.calls)).toEqual(['find', 'flight']);
  await confirm(visitor, conversationId, second, false);
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'declined', outcome: 'failed' });
  expect(names(agency.calls)).toEqual(['find', 'flight', 'return_flight']);
  // To undo nobody is asked again.
  expect((await logOf(visitor, conversationId)).filter(isCard)).toHaveLength(2);
});

const lost = (): [number, object] => [500, {}];

test.each([
  ['failed', ['find', 'flight', 'hotel', 'return_flight'], 'failed'],
  ['succeeded', ['find', 'flight', 'hotel', 'invoice'], 'succeeded'],
] as const)(
  'nobody knows how a step ended: nothing is undone or added, until it is resolved as %s',
  async (outcome, due, end) => {
    const agency = await anAgency(
      { hotel: lost },
      // What a person says of it brings no result with it.
      { steps: steps.map((one) => (one.name === 'bill' ? { ...one, input: { hotel: { value: 'H9' } } } : one)) },
    );
    const { ended, whole, visitor, conversationId } = await book(agency);
    expect((await ended()).data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
    const { id, steps: ran } = await whole();
    const [, , stay] = ran;
    expect(stay).toMatchObject({ step: 'stay', state: 'unknown' });
    expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel']);
    const { tenant } = agency.shop;
    const whole409 = await tenant.post(`/action-runs/${id}/resolve`, { outcome });
    expect(whole409.statusCode, whole409.body).toBe(409);
    const resolved = await tenant.post(`/action-runs/${stay?.id}/resolve`, { outcome, note: 'Looked it up.' });
    expect(resolved.statusCode, resolved.body).toBe(200);
    await awaitEntry(
      visitor,
      conversationId,
      (entry) => isFinished(entry) && entry.data['state'] === 'reconciled' && entry.data['outcome'] === end,
    );
    expect(names(agency.calls)).toEqual(due);
  },
);

test('what cannot be undone is not forgotten: it ends as unknown, and is not tried again and again', async () => {
  const agency = await anAgency({ hotel: failed, return_flight: failed });
  const { ended, whole } = await book(agency);
  expect((await ended()).data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
  expect((await whole()).reason).toBe('not_undone');
  expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel', 'return_flight']);
});
