import { createContext, data, redirect } from 'react-router';
import type { SignedOutReason } from './server/session.ts';
import type { Service, ServiceError, ServiceResponse } from './service/client.ts';

// Loaded once, by the portal's server and by the pages it renders: a second copy would be another context (see vite.ts).

/** The context of each loader and action. It has no tokens: they stay in the portal's server. */
export interface PortalRequest {
  service: Service;
  isSignedIn: boolean;
  /** Why this browser is no longer signed in; null if it never was, or the person signed out themselves. */
  signedOutReason: SignedOutReason | null;
  nonce: string;
  site: PortalSite;
  /** For metrics and logs. */
  observe: { route(pattern: string): void; error(error: unknown): void };
}

/** The URLs of this deployment, for pages. */
export interface PortalSite {
  portalUrl: string;
  /** As browsers reach the API. */
  apiUrl: string;
  /** Serves the widget. */
  cdnUrl: string;
  /** The product's version, shown below the menu. */
  version: string;
}

export const portalContext = createContext<PortalRequest>();

/** The reason of a refusal if the organisation requires two-factor authentication and the member has not set it up. */
export const twoFactorRequired = 'two_factor_required';
export const twoFactorPath = '/two-factor';

/** Returns the data of a response. Throws a redirect to the sign-in for a 401, and an error page for other errors. */
export function read<T>({ data: result, error, response }: ServiceResponse<T>, request: Request): T {
  if (response.ok && result !== undefined) return result;
  if (response.status === 401) throw redirect(signInPath(request));
  const problem = (error as { error?: ServiceError } | undefined)?.error;
  if (problem?.reason === twoFactorRequired) throw redirect(twoFactorPath);
  throw data(problem ?? { code: 'INTERNAL', reason: 'unreadable', message: 'Unexpected response from the API.' }, {
    status: response.status,
  });
}

/** The sign-in page, which then returns to the requested page. */
export function signInPath(request: Request): string {
  const { pathname, search } = new URL(request.url);
  // React Router loads data from `<path>.data?_routes=…`.
  const next = pathname.replace(/(\/_)?\.data$/, '') + search.replace(/[?&]_routes=[^&]*/, '');
  return next === '/' || next === '' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
}
