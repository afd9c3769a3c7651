import type { RequestInfo } from '../../../platform/context.ts';
import type { StreamEnd } from '../log/follow.ts';

/** As long as an access token; then the portal reconnects with a new one. */
const maxMs = 10 * 60_000;

/** Checks whether a stream of a member must end. */
export function accessEnd(requestInfo: RequestInfo): () => Promise<StreamEnd | null> {
  const endsAt = Date.now() + maxMs;
  return async () => {
    const rejection = await requestInfo.recheckAccess?.();
    // With an expired credential, the client reconnects and gets the reason then.
    if (rejection?.status === 401) return {};
    if (rejection) return { reason: rejection.reason, message: rejection.message };
    return Date.now() < endsAt ? null : {};
  };
}
