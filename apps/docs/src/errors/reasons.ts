import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf, type Code } from '../../../server/src/platform/errors.ts';
import { problems } from '../../../server/src/features/knowledge/ingest/problems.ts';

export interface Reason {
  code: Code;
  status: number;
  reason: string;
}

const server = join(import.meta.dirname, '../../../server');

export interface Source {
  file: string;
  text: string;
}
/** The source code, and the schema, whose constraint names become reasons. */
export const serverSources = (): Source[] =>
  [...globSync('src/**/*.ts', { cwd: server }), 'db/schema.sql']
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(server, file), 'utf8') }));

/** Error factories, and the code of their errors. */
const factories: Record<string, Code> = {
  invalid: 'VALIDATION_ERROR',
  refuse: 'VALIDATION_ERROR', // of passwords
  unauthorized: 'UNAUTHORIZED',
  InvalidCredential: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  notFound: 'NOT_FOUND',
  orNotFound: 'NOT_FOUND',
  conflict: 'CONFLICT',
  unavailable: 'UNAVAILABLE',
};
const factoryCalls = new RegExp(`\\b(${Object.keys(factories).join('|')})\\(\\s*'(\\w+)'`, 'g');
/** `new AppError('CODE', 'reason', …)`, a subclass's `super(…)`, and lists of the same. */
const literalPairs = /(?:AppError\(|super\(|\[)\s*'([A-Z_]+)',\s*'(\w+)'/g;
const constraint = /\b(\w+)_(exists|taken)\b/g;

/** Reasons that are not literals in a call, and their sources. */
export const dynamic = {
  'src/features/webhooks/inbound.ts': [
    'signature_malformed',
    'timestamp_malformed',
    'signature_mismatch',
    'timestamp_out_of_range',
  ],
  'src/features/knowledge/knowledge.service.ts': Object.keys(problems).slice(0, 6),
} as const satisfies Record<string, readonly string[]>;

const isCode = (code: string): code is Code => Object.hasOwn(statusOf, code);

function pairsIn({ file, text }: Source): [Code, string][] {
  if (file.endsWith('.sql')) {
    return [...text.matchAll(constraint)].map(([, name = '', end]) =>
      end === 'exists' ? ['NOT_FOUND', `${name}_not_found`] : ['CONFLICT', `${name}_taken`],
    );
  }
  const calls = [...text.matchAll(factoryCalls)].map(([, factory = '', reason = '']): [Code, string] => {
    const code = factories[factory] ?? 'INTERNAL';
    return [code, code === 'NOT_FOUND' ? `${reason}_not_found` : reason];
  });
  const lists = [...text.matchAll(literalPairs)].flatMap(([, code = '', reason = '']): [Code, string][] =>
    isCode(code) ? [[code, reason]] : [],
  );
  return [...calls, ...lists];
}

/** Every code and reason that the service can return, in order. */
export function reasonsOf(sources: readonly Source[]): Reason[] {
  const pairs: [Code, string][] = [
    ...sources.flatMap(pairsIn),
    ...dynamic['src/features/webhooks/inbound.ts'].map((reason): [Code, string] => ['UNAUTHORIZED', reason]),
    ...dynamic['src/features/knowledge/knowledge.service.ts'].map((reason): [Code, string] => [
      'UNPROCESSABLE',
      reason,
    ]),
  ];
  const unique = new Map(pairs.map(([code, reason]) => [`${statusOf[code]} ${code} ${reason}`, { code, reason }]));
  return [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { code, reason }]) => ({ code, reason, status: statusOf[code] }));
}
