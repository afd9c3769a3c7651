import * as fc from 'fast-check';

// What can happen to a conversation. Plain data, so that a failure prints it.

const anyTurn = fc.nat({ max: 3 });
const agent = fc.nat({ max: 1 });

const steps = {
  message: { about: fc.constantFrom('question', 'order', 'cancel', 'person', 'email'), isRepeated: rarely() },
  /** The first step of a turn, also after its recovery timer has fired. */
  start: { turn: anyTurn },
  /** A model call: its stream pauses after the first token, until `release`. */
  model: {
    turn: anyTurn,
    ask: fc.integer({ min: 1, max: 2 }),
    reply: fc.constantFrom('answer', 'read', 'write', 'error', 'reset'),
    isPaused: fc.boolean(),
  },
  release: {},
  save: { turn: anyTurn },
  /** The recovery timer: all steps of all open turns, whatever else runs. */
  timer: {},
  stop: {},
  /** The next step of an action. The tenant's system responds after `release`. */
  run: { run: anyTurn, response: fc.constantFrom('succeeded', 'refused', 'accepted'), isPaused: fc.boolean() },
  confirm: { isConfirmed: fc.boolean() },
  handoff: {},
  claim: { agent },
  /** A claim by a colleague who may assign: also of a conversation that another agent has claimed. */
  assign: { agent },
  /** To a team or to no one: a claimed conversation waits again. */
  assignTo: { to: fc.constantFrom('agent', 'team', 'nobody'), agent },
  snooze: { isOn: fc.boolean() },
  /** The two newest conversations, in either order. */
  bulk: { action: fc.constantFrom('close', 'reopen', 'assign', 'tag'), agent, isReversed: fc.boolean() },
  /** The time limits of a visitor who asked for an agent and has waited for an hour: the conversation is escalated. */
  checkWaiting: {},
  reply: { agent },
  handBack: {},
  close: {},
  reopen: {},
} as const;

function rarely() {
  return fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
}

const weights: Record<keyof typeof steps, number> = {
  message: 5,
  start: 5,
  model: 5,
  release: 3,
  save: 4,
  timer: 4,
  stop: 1,
  run: 4,
  confirm: 3,
  handoff: 2,
  claim: 4,
  assign: 1,
  assignTo: 3,
  snooze: 2,
  bulk: 2,
  checkWaiting: 2,
  reply: 1,
  handBack: 3,
  close: 2,
  reopen: 2,
};

type Values<Model> = { -readonly [Name in keyof Model]: Model[Name] extends fc.Arbitrary<infer Value> ? Value : never };
type StepOf<Kind extends keyof typeof steps> = Kind extends unknown
  ? { kind: Kind; isOld: boolean; delayMs: number } & Values<(typeof steps)[Kind]>
  : never;
export type Step = StepOf<keyof typeof steps>;

const step = fc.oneof(
  ...Object.entries(steps).map(([kind, values]) => ({
    weight: weights[kind as keyof typeof steps],
    arbitrary: fc.record({
      kind: fc.constant(kind),
      /** The conversation before the newest, if the visitor has started another. */
      isOld: rarely(),
      /** Before the step, so that those of a group meet at different points. */
      delayMs: fc.nat({ max: 4 }),
      ...values,
    }) as unknown as fc.Arbitrary<Step>,
  })),
);

/** The steps of a group run concurrently, each on its own connection; groups run one after the other. */
const group = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(step) },
  { weight: 4, arbitrary: fc.tuple(step, step) },
  { weight: 2, arbitrary: fc.tuple(step, step, step) },
);

const firstMessage = fc.record({
  kind: fc.constant('message' as const),
  isOld: fc.constant(false),
  delayMs: fc.constant(0),
  about: fc.constantFrom('question' as const, 'order' as const, 'cancel' as const),
  isRepeated: fc.constant(false),
});

export interface Interleaving {
  shop: number;
  first: Step;
  groups: Step[][];
}
export const interleaving: fc.Arbitrary<Interleaving> = fc.record({
  shop: fc.nat({ max: 5 }),
  first: firstMessage,
  groups: fc.array(group, { minLength: 4, maxLength: 12 }),
});
