import { operatorRoute, type Route } from '../../platform/http/route.ts';
import * as contract from './key-rotation.contract.ts';
import * as service from './key-rotation.operator.service.ts';
import { rotateSigningKey } from './signing.service.ts';

const tag = 'Operator';

/** Lists and rotates the keys of the deployment. Key material is never returned. */
export const keyRotationRoutes = (deps: service.KeyDeps): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/admin/keys',
    name: 'getKeys',
    tag,
    summary: 'List signing and encryption keys',
    description: 'What each key is used for and whether it can be removed. Ids and counts only.',
    permission: 'platform.system.view',
    response: contract.Keys,
    handler: () => service.readKeys(deps),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/keys/signing',
    name: 'rotateSigningKey',
    tag,
    summary: 'Rotate a signing key',
    permission: 'platform.system.manage',
    stepUp: true,
    body: contract.RotateSigningKey,
    response: contract.RotatedSigningKey,
    handler: (operator, { body }, requestInfo) => rotateSigningKey(deps, { operator, requestInfo }, body),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/key-rotations',
    name: 'listKeyRotations',
    tag,
    summary: 'List encryption key rotations',
    permission: 'platform.system.view',
    query: contract.ListRotations,
    response: contract.Rotations,
    handler: (_operator, { query }) => service.listRotations(deps, query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/key-rotations',
    name: 'beginKeyRotation',
    tag,
    summary: 'Start an encryption key rotation',
    description:
      'Creates a new data key for every tenant and re-encrypts all secrets, using the first master key. The service stays available. Only one rotation can run at a time, and it is refused while a process is running that doesn’t encrypt with that master key.',
    permission: 'platform.system.manage',
    stepUp: true,
    body: contract.StartRotation,
    status: 201,
    response: contract.OneRotation,
    handler: (operator, { body }, requestInfo) => service.startRotation(deps, { operator, requestInfo }, body.reason),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/key-rotations/:id',
    name: 'getKeyRotation',
    tag,
    summary: 'Get a rotation and its progress',
    permission: 'platform.system.view',
    params: contract.RotationId,
    response: contract.OneRotation,
    handler: (_operator, { params }) => service.getRotation(deps, params.id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/key-rotations/:id/cancel',
    name: 'cancelKeyRotation',
    tag,
    summary: 'Cancel a rotation',
    description:
      'What was already re-encrypted stays that way, and everything can still be decrypted. Cancelling an ended rotation changes nothing.',
    permission: 'platform.system.manage',
    params: contract.RotationId,
    response: contract.OneRotation,
    handler: (operator, { params }, requestInfo) => service.cancelRotation(deps, { operator, requestInfo }, params.id),
  }),
];
