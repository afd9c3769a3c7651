import { operatorRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './key-rotation.contract.ts';
import * as service from './key-rotation.operator.service.ts';
import { turnSigningKey } from './signing.service.ts';

const tag = 'Operator';

/** The keys of the deployment: which there are, and how they are changed. None of them is ever shown. */
export const keyRotationRoutes = (parts: service.KeyParts): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/keys',
    name: 'getKeys',
    tag,
    summary: 'Read which keys there are, what they do, and which can go',
    description: 'Names and numbers only.',
    permission: 'platform.system.view',
    answer: contract.Keys,
    handler: () => service.readKeys(parts),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/keys/signing',
    name: 'turnSigningKey',
    tag,
    summary: 'Sign with a new key: in a day, or at once',
    permission: 'platform.system.manage',
    stepUp: true,
    body: contract.TurnSigningKey,
    answer: contract.TurnedSigningKey,
    handler: (operator, { body }, from) => turnSigningKey(parts, { operator, from }, body),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/key-rotations',
    name: 'listKeyRotations',
    tag,
    summary: 'List rotations of the encryption keys, newest first',
    permission: 'platform.system.view',
    query: contract.ListRotations,
    answer: contract.Rotations,
    handler: (_operator, { query }) => service.listRotations(parts, query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/key-rotations',
    name: 'beginKeyRotation',
    tag,
    summary: 'Give every tenant a new data key, and seal every secret anew',
    description:
      'With the first of the master keys. Everything goes on meanwhile. One at a time; refused while a process runs that does not seal with that master key.',
    permission: 'platform.system.manage',
    stepUp: true,
    body: contract.BeginRotation,
    status: 201,
    answer: contract.OneRotation,
    handler: (operator, { body }, from) => service.beginRotation(parts, { operator, from }, body.reason),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/key-rotations/:id',
    name: 'getKeyRotation',
    tag,
    summary: 'Read how far a rotation is',
    permission: 'platform.system.view',
    params: contract.RotationId,
    answer: contract.OneRotation,
    handler: (_operator, { params }) => service.getRotation(parts, params.id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/key-rotations/:id/cancel',
    name: 'cancelKeyRotation',
    tag,
    summary: 'End a rotation where it is',
    description: 'What was sealed anew stays so, and everything opens. Cancelling one that is over changes nothing.',
    permission: 'platform.system.manage',
    params: contract.RotationId,
    answer: contract.OneRotation,
    handler: (operator, { params }, from) => service.cancelRotation(parts, { operator, from }, params.id),
  }),
];
