import type { Operation, Release } from './release.ts';
import { schemaComparer, type Change } from './schemas.ts';

/** All by which a client of the release could notice. */
export function compareReleases(before: Release, after: Release): Change[] {
  const { compare, shared } = schemaComparer({ before: before.schemas, after: after.schemas });
  const changes = Object.entries(before.operations).flatMap(([where, was]) => {
    const is = after.operations[where];
    if (!is) return [{ where, what: 'is gone', isBreaking: true }];
    return [
      ...access(was, is).map((what) => ({ where, what, isBreaking: true })),
      ...compare('request', was.path, is.path, `${where} path`),
      ...compare('request', was.query, is.query, `${where} query`),
      ...bodies(where, was, is),
      ...answers(where, was, is),
    ];
  });
  return [...shared, ...changes];

  function bodies(where: string, { body: was }: Operation, { body: is }: Operation): Change[] {
    const at = `${where} body`;
    if (is?.isRequired && !was?.isRequired) return [{ where: at, what: 'is now required', isBreaking: true }];
    return byType(was?.types, is?.types, at, 'is no longer taken', 'request');
  }

  function answers(where: string, { answers: was }: Operation, { answers: is }: Operation): Change[] {
    const added = Object.keys(is).filter((status) => !was[status]);
    return [
      ...added.map((status) => ({ where, what: `may now answer ${status}`, isBreaking: false })),
      ...Object.entries(was).flatMap(([status, types]) => {
        const now = is[status];
        if (!now) return [{ where, what: `never answers ${status} any more`, isBreaking: true }];
        return byType(types, now, `${where} ${status}`, 'is never answered any more', 'answer');
      }),
    ];
  }

  function byType(was: Types, is: Types, where: string, gone: string, use: 'request' | 'answer'): Change[] {
    return Object.entries(was ?? {}).flatMap(([type, schema]) => {
      const now = is?.[type];
      return now ? compare(use, schema, now, where) : [{ where, what: `${type} ${gone}`, isBreaking: true }];
    });
  }
}
type Types = Operation['answers'][string] | undefined;

/** Who may call it, and what the SDK calls it. */
function access(was: Operation, is: Operation): string[] {
  // Each way in must still be one: with nothing more to prove than before.
  const isOpen = (way: string[]) =>
    is.security.length === 0 || is.security.some((now) => now.every((part) => way.includes(part)));
  const shut = was.security.filter((way) => !isOpen(way)).map((way) => way.join(' with '));
  return [
    ...(is.id === was.id ? [] : [`is called ${is.id} in the SDK, and no longer ${was.id}`]),
    ...(is.permission === was.permission || is.permission === 'public'
      ? []
      : [`needs ${is.permission}, and needed ${was.permission}`]),
    ...(is.entitlement && is.entitlement !== was.entitlement ? [`needs ${is.entitlement} in the plan`] : []),
    ...(was.isAlsoUnderTenant && !is.isAlsoUnderTenant ? ['is not the same under /tenants/{tenantId}'] : []),
    ...(is.isStepUp && !was.isStepUp ? ['needs a fresh proof of who is calling'] : []),
    ...(was.security.length === 0 && is.security.length > 0
      ? ['needs a credential']
      : shut.map((way) => `is closed to ${way}`)),
  ];
}
