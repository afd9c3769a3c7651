import { describe, expect, test } from 'vitest';
import { ActionSpec } from '../actions.contract.ts';
import { problemsOf } from './check.ts';

const webhookId = 'whk_01h45ytscbebyvny4gc8cr8ma2';
const idOf = (n: number) => `act_01h45ytscbebyvny4gc8cr8ma${n}`;
const spec = (more: object = {}, n = 1) =>
  ActionSpec.parse({ id: idOf(n), name: `action_${n}`, title: 'Do it', webhookId, ...more });
const others = [
  spec({}, 2),
  spec({ risk: 'write' }, 3),
  spec({ webhookId: null, steps: [{ name: 'only', actionId: idOf(2) }] }, 4),
];
const workflow = (steps: object[], more: object = {}) => spec({ webhookId: null, steps, ...more });
const problemLines = (one: ActionSpec) => problemsOf(one, others).map(({ path, message }) => `${path}: ${message}`);

const orders = {
  type: 'object',
  additionalProperties: false,
  properties: { orderId: { type: 'string' } },
};

describe('accepts', () => {
  test.each([
    ['a read', spec()],
    ['a write', spec({ risk: 'write' })],
    ['a question for a field', spec({ inputSchema: orders, questions: { orderId: 'Which?' } })],
    [
      'steps that use earlier results',
      workflow(
        [
          { name: 'find', actionId: idOf(2), input: { a: { from: '/input/a' } } },
          {
            name: 'change',
            actionId: idOf(3),
            input: { b: { from: '/steps/find/b' } },
            when: { from: '/steps/find/ok', equals: true },
            compensation: { actionId: idOf(3), input: { c: { from: '/steps/change/id' } } },
          },
        ],
        { risk: 'write', output: { d: { from: '/steps/change/d' } }, confirm: 'never' },
      ),
    ],
  ])('%s', (_name, one) => {
    expect(problemLines(one)).toEqual([]);
  });
});

describe('reports the path of', () => {
  test.each([
    ['an input schema that is not an object', spec({ inputSchema: { type: 'string' } }), '/inputSchema'],
    ['an input schema that allows additional properties', spec({ inputSchema: { type: 'object' } }), '/inputSchema'],
    ['an invalid output schema', spec({ outputSchema: { type: 'object', nonsense: 1 } }), '/outputSchema'],
    [
      'a question for an unknown field',
      spec({ inputSchema: orders, questions: { size: 'Which?' } }),
      '/questions/size',
    ],
    ['neither an endpoint nor steps', spec({ webhookId: null }), '/webhookId'],
    ['both an endpoint and steps', workflow([{ name: 'a', actionId: idOf(2) }], { webhookId }), '/webhookId'],
    ['a write without confirmation', spec({ risk: 'write', confirm: 'never' }), '/confirm'],
    ['an output mapping without steps', spec({ output: { a: { value: 1 } } }), '/output'],
    [
      'a duplicate step name',
      workflow([
        { name: 'a', actionId: idOf(2) },
        { name: 'a', actionId: idOf(2) },
      ]),
      '/steps/1/name',
    ],
    ['an unknown step action', workflow([{ name: 'a', actionId: idOf(9) }]), '/steps/0/actionId'],
    ['a step that calls its own action', workflow([{ name: 'a', actionId: idOf(1) }]), '/steps/0/actionId'],
    ['a step that is a workflow', workflow([{ name: 'a', actionId: idOf(4) }]), '/steps/0/actionId'],
    [
      'a compensation that is a workflow',
      workflow([{ name: 'a', actionId: idOf(2), compensation: { actionId: idOf(4) } }]),
      '/steps/0/compensation/actionId',
    ],
    ['a write step in a read action', workflow([{ name: 'a', actionId: idOf(3) }]), '/risk'],
    [
      'a write compensation in a read action',
      workflow([{ name: 'a', actionId: idOf(2), compensation: { actionId: idOf(3) } }]),
      '/risk',
    ],
    [
      'a pointer to a later step',
      workflow([
        { name: 'a', actionId: idOf(2), input: { x: { from: '/steps/b/x' } } },
        { name: 'b', actionId: idOf(2) },
      ]),
      '/steps/0/input',
    ],
    [
      'a pointer to the step itself',
      workflow([{ name: 'a', actionId: idOf(2), input: { x: { from: '/steps/a/x' } } }]),
      '/steps/0/input',
    ],
    [
      'a condition on a later step',
      workflow([
        { name: 'a', actionId: idOf(2), when: { from: '/steps/b', exists: true } },
        { name: 'b', actionId: idOf(2) },
      ]),
      '/steps/0/input',
    ],
    [
      'a compensation that uses a later step',
      workflow([
        { name: 'a', actionId: idOf(2), compensation: { actionId: idOf(2), input: { x: { from: '/steps/b/x' } } } },
        { name: 'b', actionId: idOf(2) },
      ]),
      '/steps/0/compensation/input',
    ],
    [
      'an output from an unknown step',
      workflow([{ name: 'a', actionId: idOf(2) }], { output: { x: { from: '/steps/z/x' } } }),
      '/output',
    ],
  ])('%s', (_name, one, path) => {
    const found = problemLines(one);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${path}: \\S`));
  });
});
