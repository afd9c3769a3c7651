import { z } from 'zod';

/** One prefix per kind of object, so that ids are recognizable in logs. */
export const prefixes = {
  tenant: 'ten',
  workspace: 'wsp',
  environment: 'env',
  user: 'usr',
  session: 'ses',
  passkey: 'pky',
  invitation: 'inv',
  email: 'ltr',
  bot: 'bot',
  botVersion: 'bver',
  model: 'mdl',
  action: 'act',
  actionRun: 'arun',
  knowledgeSource: 'ksrc',
  knowledgeDocument: 'kdoc',
  visitor: 'vis',
  contact: 'con',
  conversation: 'conv',
  message: 'msg',
  turn: 'turn',
  apiKey: 'key',
  webhook: 'whk',
  delivery: 'dlv',
  attempt: 'att',
  replay: 'rpl',
  event: 'evt',
  auditEntry: 'aud',
  keyRotation: 'krot',
  announcement: 'ann',
  request: 'req',
  erasure: 'ers',
  supportRequest: 'sreq',
  team: 'team',
  savedReply: 'srep',
  inboxView: 'view',
} as const;
export type Kind = keyof typeof prefixes;
export type Id<K extends Kind> = `${(typeof prefixes)[K]}_${string}`;

const suffix = z.string().regex(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/);

/** A TypeID: the prefix, then a UUIDv7 as 26 characters of base32, so that ids sort by age. */
export const idOf = <K extends Kind>(kind: K) => z.templateLiteral([prefixes[kind], '_', suffix]);
