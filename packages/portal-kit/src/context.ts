import { createContext, data, redirect } from 'react-router';
import type { Service, ServiceError, ServiceResponse } from './service/client.ts';

// Loaded by the server itself and, as the same module, by the pages it renders: both must mean the same context.

/** What a page's loader is given. Tokens are not among it. */
export interface PortalRequest {
  service: Service;
  isSignedIn: boolean;
  /** An operator was in somebody's place here until a moment ago. */
  isImpersonationOver: boolean;
  nonce: string;
  /** What pages may know of the deployment. */
  site: PortalSite;
}

export interface PortalSite {
  portalUrl: string;
  /** Where browsers reach the service, and where they get the widget. */
  apiUrl: string;
  cdnUrl: string;
}

export const portalContext = createContext<PortalRequest>();

/** The organisation requires two-factor authentication of somebody who has none: they are led to set it up. */
export const twoFactorRequired = 'two_factor_required';
export const twoFactorPath = '/two-factor';

/** What the service returned; a refusal becomes the page that explains it, and nobody signed in goes to sign in. */
export function read<T>({ data: found, error, response }: ServiceResponse<T>, request: Request): T {
  if (response.ok && found !== undefined) return found;
  if (response.status === 401) throw redirect(signInPath(request));
  const problem = (error as { error?: ServiceError } | undefined)?.error;
  if (problem?.reason === twoFactorRequired) throw redirect(twoFactorPath);
  throw data(problem ?? { code: 'INTERNAL', reason: 'unreadable', message: 'Unexpected response from the API.' }, {
    status: response.status,
  });
}

export function signInPath(request: Request): string {
  const { pathname, search } = new URL(request.url);
  const wanted = pathname.replace(/(\/_)?\.data$/, '') + search.replace(/[?&]_routes=[^&]*/, '');
  return wanted === '/' || wanted === '' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`;
}
