import { expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import {
  handleCalls,
  aShop,
  awaitEntry,
  confirm,
  isCard,
  isFinished,
  isBotMessage,
  logOf,
  reply,
  type Entry,
  type Handler,
  type Invocation,
  type SendResult,
  type Shop,
} from './fixture.ts';

const stack = await aWebhookStack();
const handlers = new Map<string, Handler>();
handleCalls(stack.receiver, handlers);

// A trip: find it, book a flight and a hotel, create the invoice. Bookings can be compensated.

const anyObject = (...names: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const stepAction = (name: string, more: object) => ({
  name,
  title: `Do ${name}`,
  isOffered: false,
  confirm: 'never',
  ...more,
});
const tripSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['trip'],
  properties: { trip: { type: 'string', pattern: '^T-\\d+$' } },
};
const writeFields = { risk: 'write', effect: 'at_most_once', confirm: 'writes' };
const stepActions = [
  stepAction('find', { inputSchema: anyObject('trip') }),
  stepAction('flight', { inputSchema: anyObject('place', 'class'), ...writeFields }),
  stepAction('hotel', { inputSchema: anyObject('place', 'flight'), ...writeFields }),
  stepAction('invoice', { inputSchema: anyObject('hotel') }),
  stepAction('return_flight', { inputSchema: anyObject('flight', 'why'), ...writeFields }),
  stepAction('return_hotel', { inputSchema: anyObject('hotel'), ...writeFields }),
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
  inputSchema: tripSchema,
  risk: 'write',
  confirm: 'never', // each write step is confirmed instead
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
  /** In order of arrival. */
  calls: Invocation[];
}
/** The backend uses the given response by action name, and succeeds otherwise. */
async function anAgency(
  responses: Record<string, (call: Invocation) => [number, object]> = {},
  more: object = {},
): Promise<Agency> {
  const calls: Invocation[] = [];
  const handler: Handler = (call, response) => {
    calls.push(call);
    const [status, body] = responses[call.action]?.(call) ?? [200, { output: good[call.action] ?? {} }];
    return reply(response, status, body);
  };
  return { calls, shop: await aShop(stack, handlers, handler, [...stepActions, trip(more)]) };
}

/** Books the trip and confirms all cards. */
async function book({ shop }: Agency, name = 'T-1') {
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say(`book the trip ${name}`)).json<SendResult>();
  const confirmed = new Set<unknown>();
  const confirmUntilEnd = async () => {
    for (;;) {
      const isNew = (entry: Entry) => isCard(entry) && !confirmed.has(entry.data['runId']);
      const next = await awaitEntry(visitor, conversationId, (entry) => isNew(entry) || isFinished(entry));
      if (isFinished(next)) return next;
      confirmed.add(next.data['runId']);
      expect((await confirm(visitor, conversationId, next)).statusCode).toBe(200);
    }
  };
  const workflowRun = async () => {
    const [{ id } = { id: '' }] = await shop.runs(`?conversationId=${conversationId}`);
    return shop.run(id);
  };
  return { visitor, conversationId, confirmUntilEnd, workflowRun };
}
const failed = (): [number, object] => [422, { error: { code: 'full', message: 'Nothing is free.' } }];
const names = (calls: readonly Invocation[]) => calls.map(({ action }) => action);

test('runs steps in order with mapped inputs, and maps the output', async () => {
  const agency = await anAgency();
  const { confirmUntilEnd, workflowRun } = await book(agency);
  expect((await confirmUntilEnd()).data).toMatchObject({ state: 'succeeded', outcome: 'succeeded' });
  expect(agency.calls.map(({ action, step, input }) => [action, step, input])).toEqual([
    ['find', 'search', { trip: 'T-1' }],
    ['flight', 'fly', { place: 'Rome', class: 'economy' }],
    ['hotel', 'stay', { place: 'Rome', flight: 'F1' }],
    ['invoice', 'bill', { hotel: 'H1' }],
  ]);
  const run = await workflowRun();
  expect(run.output).toEqual({ flight: 'F1', bill: 'I1', paid: false });
  expect(run.steps.map(({ step, state, isCompensation }) => [step, state, isCompensation])).toEqual(
    ['search', 'fly', 'stay', 'bill'].map((step) => [step, 'succeeded', false]),
  );
  expect(new Set(agency.calls.map(({ id }) => id)).size).toBe(4);
});

test('skips steps whose condition does not hold: equals, differs and exists', async () => {
  const plain = { place: [{ name: 'Rome' }] };
  const found: Record<string, object> = {
    'T-1': { ...plain, 'needs/flight': false, noBill: true },
    'T-2': { ...plain, hotel: 'none', noBill: 1 },
    'T-3': { ...plain, hotel: 'wanted', noBill: 'yes' },
  };
  const agency = await anAgency({ find: ({ input }) => [200, { output: found[String(input['trip'])] ?? {} }] });
  const bookTrip = async (name: string) => {
    const { conversationId, confirmUntilEnd, workflowRun } = await book(agency, name);
    await confirmUntilEnd();
    const called = names(agency.calls.filter((call) => call.conversationId === conversationId));
    return { called, output: (await workflowRun()).output };
  };
  const [noFlight, noHotel, noBill] = await Promise.all(['T-1', 'T-2', 'T-3'].map(bookTrip));
  expect(noFlight).toEqual({ called: ['find'], output: { paid: false } });
  expect(noHotel).toEqual({ called: ['find', 'flight'], output: { flight: 'F1', paid: false } });
  expect(noBill?.called).toEqual(['find', 'flight', 'hotel']);
});

test('compensates completed steps in reverse order, once each, when a step fails', async () => {
  const agency = await anAgency({ invoice: failed });
  const { confirmUntilEnd, workflowRun, visitor, conversationId } = await book(agency);
  expect((await confirmUntilEnd()).data).toMatchObject({ state: 'failed', outcome: 'failed' });
  expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel', 'invoice', 'return_hotel', 'return_flight']);
  expect(agency.calls.slice(-2).map(({ input, step }) => [step, input])).toEqual([
    ['stay', { hotel: 'H1' }],
    ['fly', { flight: 'F1', why: 'no hotel' }],
  ]);
  expect((await workflowRun()).steps.filter(({ isCompensation }) => isCompensation)).toHaveLength(2);
  await awaitEntry(visitor, conversationId, isBotMessage(/didn’t work/));
});

test('fails and compensates without confirming or sending a step with invalid input', async () => {
  const wrong = { place: { value: 5 }, flight: { from: '/steps/fly/flight' } };
  const long = { place: { value: 'Rome' }, flight: { from: '/steps/search/notes' } };
  for (const input of isFull ? [wrong, long] : [long]) {
    const agency = await anAgency(
      { find: () => [200, { output: { ...good['find'], notes: 'x'.repeat(2_001) } }] },
      { steps: steps.map((one) => (one.name === 'stay' ? { ...one, input } : one)) },
    );
    const { confirmUntilEnd, workflowRun, visitor, conversationId } = await book(agency);
    expect((await confirmUntilEnd()).data).toMatchObject({ state: 'failed', outcome: 'failed' });
    expect((await workflowRun()).reason).toBe('invalid_input');
    expect(names(agency.calls)).toEqual(['find', 'flight', 'return_flight']);
    expect((await logOf(visitor, conversationId)).filter(isCard)).toHaveLength(1);
  }
});

test('confirms each write step; declining the second compensates the first', async () => {
  const agency = await anAgency();
  const visitor = await agency.shop.visitor();
  const { conversationId } = (await visitor.say('book the trip T-1')).json<SendResult>();
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
  // Compensations need no confirmation.
  expect((await logOf(visitor, conversationId)).filter(isCard)).toHaveLength(2);
});

const noResponse = (): [number, object] => [500, {}];

test.each([
  ['failed', ['find', 'flight', 'hotel', 'return_flight'], 'failed'],
  ['succeeded', ['find', 'flight', 'hotel', 'invoice'], 'succeeded'],
] as const)(
  'waits while the outcome of a step is unknown, until it is resolved as %s',
  async (outcome, expectedCalls, end) => {
    const agency = await anAgency(
      { hotel: noResponse },
      // A manually resolved step has no output.
      { steps: steps.map((one) => (one.name === 'bill' ? { ...one, input: { hotel: { value: 'H9' } } } : one)) },
    );
    const { confirmUntilEnd, workflowRun, visitor, conversationId } = await book(agency);
    expect((await confirmUntilEnd()).data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
    const { id, steps: called } = await workflowRun();
    const [, , stay] = called;
    expect(stay).toMatchObject({ step: 'stay', state: 'unknown' });
    expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel']);
    const { tenant } = agency.shop;
    const parentResponse = await tenant.post(`/action-runs/${id}/resolve`, { outcome });
    expect(parentResponse.statusCode, parentResponse.body).toBe(409);
    const resolved = await tenant.post(`/action-runs/${stay?.id}/resolve`, { outcome, note: 'Looked it up.' });
    expect(resolved.statusCode, resolved.body).toBe(200);
    await awaitEntry(
      visitor,
      conversationId,
      (entry) => isFinished(entry) && entry.data['state'] === 'reconciled' && entry.data['outcome'] === end,
    );
    expect(names(agency.calls)).toEqual(expectedCalls);
  },
);

test('ends as unknown when a compensation fails, without retrying it', async () => {
  const agency = await anAgency({ hotel: failed, return_flight: failed });
  const { confirmUntilEnd, workflowRun } = await book(agency);
  expect((await confirmUntilEnd()).data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
  expect((await workflowRun()).reason).toBe('not_undone');
  expect(names(agency.calls)).toEqual(['find', 'flight', 'hotel', 'return_flight']);
});
