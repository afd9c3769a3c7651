import { z } from 'zod';
import { AppError, forbidden } from '../../platform/errors.ts';
import type { PageResponse, PageRequest } from '../../platform/http/route.ts';
import type { PoolName } from '../../platform/pool.ts';
import { RateLimited } from '../../platform/rate-limit.ts';
import { renderPage } from './html/layout.ts';
import { chooseLocale, languageLinks, textsOf, type Locale } from './locale/locale.ts';
import { messagePage } from './pages/message-page.ts';
import type { PageContent } from './html/components.ts';
import { describeProblem, type PageError } from './problem.ts';
import type { FieldName } from './locale/texts.ts';

/** The hosted pages of one pool, and the origins that their forms may redirect to. */
export interface PageSite {
  pool: PoolName;
  publicUrl: string;
  formOrigins: readonly string[];
  /** Where people sign in once they have a password. */
  signInUrl: string | undefined;
}

/** Accepts any text; errors are shown on the page. */
export const formText = (max: number) => z.string().max(max).catch('');
export const PageQuery = z.object({ lang: z.string().max(40).optional() });

/** The context for rendering a page in the visitor's language. */
export function openPage(site: PageSite, { request }: PageRequest, requestedLocale: string | undefined) {
  const locale: Locale = chooseLocale(requestedLocale, request.headers['accept-language']);
  const t = textsOf(locale);
  const currentUrl = new URL(request.url ?? '/', site.publicUrl);
  /** A URL of this pool that keeps the selected language. */
  const urlOf = (path: string, query: Record<string, string> = {}): string => {
    const lang = currentUrl.searchParams.get('lang');
    const params = new URLSearchParams({ ...query, ...(lang !== null && { lang }) }).toString();
    return `/pools/${site.pool}${path}${params && `?${params}`}`;
  };
  const links = request.method === 'GET' ? languageLinks((other) => withLang(currentUrl, other)) : [];
  return {
    t,
    locale,
    urlOf,
    show: (content: PageContent, status = 200): PageResponse => {
      const { pool, formOrigins } = site;
      return { status, ...renderPage({ ...content, pool, locale, languageLinks: links, formOrigins }) };
    },
  };
}
export type PageContext = ReturnType<typeof openPage>;

function withLang(currentUrl: URL, locale: Locale): string {
  const url = new URL(currentUrl);
  url.searchParams.set('lang', locale);
  return url.pathname + url.search;
}

/** Refuses forms that were submitted from another site, before reading anything from them. */
export function assertSameOrigin({ publicUrl }: PageSite, { request }: PageRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOurs = site === undefined ? origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOurs) throw forbidden('cross_site_form', 'This form was sent from another site.');
}

const fieldNames: Record<string, FieldName> = {
  '/password': 'password',
  '/newPassword': 'password',
  '/email': 'email',
  '/code': 'code',
  '/name': 'name',
  '/organisation': 'organisation',
};

/** Maps an error of a service to an error shown on the page. Unexpected errors are rethrown and logged. */
export function toPageError(thrown: unknown): PageError & { status: number } {
  if (!(thrown instanceof AppError) || thrown.status >= 500) throw thrown;
  const field = fieldNames[thrown.details?.[0]?.path ?? ''];
  return {
    status: thrown.status,
    reason: thrown.reason,
    ...(thrown instanceof RateLimited && { retryAfterSeconds: thrown.state.resetSeconds }),
    ...(field && { field }),
  };
}

/** The page for requests that were refused before a page was rendered, or failed on it. */
export const errorPage =
  (site: PageSite) =>
  (error: AppError, pageRequest: PageRequest): PageResponse => {
    const page = openPage(site, pageRequest, undefined);
    const reasons: Record<string, string> = {
      cross_site_form: 'session_expired',
      interaction_not_found: 'session_expired',
    };
    const { what, next } = describeProblem(page.t, {
      reason: reasons[error.reason] ?? error.reason,
      ...(error instanceof RateLimited && { retryAfterSeconds: error.state.resetSeconds }),
    });
    const link = site.signInUrl ? { label: page.t.toSignIn, url: site.signInUrl } : undefined;
    return page.show(messagePage(page.t, { heading: what, text: next, link }), error.status);
  };
