import type { Operation, Release } from './release.ts';
import { schemaComparer, type Change } from './schemas.ts';

/** All changes that a client of the release could notice. */
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
      ...responses(where, was, is),
    ];
  });
  return [...shared, ...changes];

  function bodies(where: string, { body: was }: Operation, { body: is }: Operation): Change[] {
    const at = `${where} body`;
    if (is?.isRequired && !was?.isRequired) return [{ where: at, what: 'is now required', isBreaking: true }];
    return byType(was?.types, is?.types, at, 'is no longer taken', 'request');
  }

  function responses(where: string, { answers: was }: Operation, { answers: is }: Operation): Change[] {
    const added = Object.keys(is).filter((status) => !was[status]);
    return [
      ...added.map((status) => ({ where, what: `may now return ${status}`, isBreaking: false })),
      ...Object.entries(was).flatMap(([status, types]) => {
        const now = is[status];
        if (!now) return [{ where, what: `no longer returns ${status}`, isBreaking: true }];
        return byType(types, now, `${where} ${status}`, 'is no longer returned', 'response');
      }),
    ];
  }

  function byType(was: Types, is: Types, where: string, gone: string, use: 'request' | 'response'): Change[] {
    return Object.entries(was ?? {}).flatMap(([type, schema]) => {
      const now = is?.[type];
      return now ? compare(use, schema, now, where) : [{ where, what: `${type} ${gone}`, isBreaking: true }];
    });
  }
}
type Types = Operation['answers'][string] | undefined;

/** Changes of authorization and of the SDK name. */
function access(was: Operation, is: Operation): string[] {
  // Each credential that was accepted must still be, without an additional one.
  const isOpen = (credential: string[]) =>
    is.security.length === 0 || is.security.some((now) => now.every((scheme) => credential.includes(scheme)));
  const refused = was.security
    .filter((credential) => !isOpen(credential))
    .map((credential) => credential.join(' with '));
  return [
    ...(is.id === was.id ? [] : [`is called ${is.id} in the SDK, and no longer ${was.id}`]),
    ...(is.permission === was.permission || is.permission === 'public'
      ? []
      : [`needs ${is.permission}, and needed ${was.permission}`]),
    ...(is.entitlement && is.entitlement !== was.entitlement ? [`needs ${is.entitlement} in the plan`] : []),
    ...(was.isAlsoUnderTenant && !is.isAlsoUnderTenant ? ['is not the same under /tenants/{tenantId}'] : []),
    ...(is.isStepUp && !was.isStepUp ? ['needs a recent authentication'] : []),
    ...(was.security.length === 0 && is.security.length > 0
      ? ['needs a credential']
      : refused.map((credential) => `is closed to ${credential}`)),
  ];
}
