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
/** The code that may refuse somebody, and the schema, whose constraints do so by their names. */
export const serverSources = (): Source[] =>
  [...globSync('src/**/*.ts', { cwd: server }), 'db/schema.sql']
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(server, file), 'utf8') }));

/** What makes an error, and the code of what it makes. */
const makers: Record<string, Code> = {
  invalid: 'VALIDATION_ERROR',
  refuse: 'VALIDATION_ERROR', // of passwords
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  notFound: 'NOT_FOUND',
  orNotFound: 'NOT_FOUND',
  conflict: 'CONFLICT',
  unavailable: 'UNAVAILABLE',
};
const made = new RegExp(`\\b(${Object.keys(makers).join('|')})\\(\\s*'(\\w+)'`, 'g');
/** `new AppError('CODE', 'reason', …)`, a subclass's `super(…)`, and lists of the same. */
const named = /(?:AppError\(|super\(|\[)\s*'([A-Z_]+)',\s*'(\w+)'/g;
const constraint = /\b(\w+)_(exists|taken)\b/g;

/** Reasons that stand in no call as a word of their own, and where they come from instead. */
export const dynamic = {
  'src/features/webhooks/inbound.ts': [
    'signature_malformed',
    'timestamp_malformed',
    'signature_mismatch',
    'timestamp_out_of_range',
  ],
  'src/features/knowledge/knowledge.service.ts': Object.keys(problems).slice(0, 6),
} as const satisfies Record<string, readonly string[]>;

const isCode = (word: string): word is Code => Object.hasOwn(statusOf, word);

function inSource({ file, text }: Source): [Code, string][] {
  if (file.endsWith('.sql')) {
    return [...text.matchAll(constraint)].map(([, thing = '', end]) =>
      end === 'exists' ? ['NOT_FOUND', `${thing}_not_found`] : ['CONFLICT', `${thing}_taken`],
    );
  }
  const calls = [...text.matchAll(made)].map(([, maker = '', word = '']): [Code, string] => {
    const code = makers[maker] ?? 'INTERNAL';
    return [code, code === 'NOT_FOUND' ? `${word}_not_found` : word];
  });
  const lists = [...text.matchAll(named)].flatMap(([, code = '', word = '']): [Code, string][] =>
    isCode(code) ? [[code, word]] : [],
  );
  return [...calls, ...lists];
}

/** Every code and reason that the service can answer with, in order. */
export function reasonsOf(sources: readonly Source[]): Reason[] {
  const pairs: [Code, string][] = [
    ...sources.flatMap(inSource),
    ...dynamic['src/features/webhooks/inbound.ts'].map((word): [Code, string] => ['UNAUTHORIZED', word]),
    ...dynamic['src/features/knowledge/knowledge.service.ts'].map((word): [Code, string] => ['UNPROCESSABLE', word]),
  ];
  const unique = new Map(pairs.map(([code, reason]) => [`${statusOf[code]} ${code} ${reason}`, { code, reason }]));
  return [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { code, reason }]) => ({ code, reason, status: statusOf[code] }));
}
