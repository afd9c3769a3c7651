import { z } from 'zod';
import { AppError, forbidden } from '../../platform/errors.ts';
import type { PageResponse, PageRequest } from '../../platform/http/route.ts';
import type { PoolName } from '../../platform/pool.ts';
import { RateLimited } from '../../platform/rate-limit.ts';
import { renderPage } from './html/layout.ts';
import { chooseLocale, languageLinks, textsOf, type Locale } from './locale/locale.ts';
import { messagePage } from './pages/message-page.ts';
import type { PageParts } from './html/components.ts';
import { describeProblem, type PageError } from './problem.ts';
import type { FieldName } from './locale/texts.ts';

/** The pages of one pool: where they are, and where their forms may lead. */
export interface PageSite {
  pool: PoolName;
  publicUrl: string;
  formOrigins: readonly string[];
  /** Where somebody goes to sign in, once they have a password. */
  signInUrl: string | undefined;
}

/** Read as it comes; what is wrong with it is said on the page. */
export const formText = (max: number) => z.string().max(max).catch('');
export const PageQuery = z.object({ lang: z.string().max(40).optional() });

/** One page for one visitor, in their language. */
export function openPage(site: PageSite, { request }: PageRequest, asked: string | undefined) {
  const locale: Locale = chooseLocale(asked, request.headers['accept-language']);
  const t = textsOf(locale);
  const here = new URL(request.url ?? '/', site.publicUrl);
  /** An address of this pool, which keeps the language that was chosen by hand. */
  const urlOf = (path: string, query: Record<string, string> = {}): string => {
    const lang = here.searchParams.get('lang');
    const params = new URLSearchParams({ ...query, ...(lang !== null && { lang }) }).toString();
    return `/pools/${site.pool}${path}${params && `?${params}`}`;
  };
  const links = request.method === 'GET' ? languageLinks((other) => withLang(here, other)) : [];
  return {
    t,
    locale,
    urlOf,
    show: (parts: PageParts, status = 200): PageResponse => {
      const { pool, formOrigins } = site;
      return { status, ...renderPage({ ...parts, pool, locale, languageLinks: links, formOrigins }) };
    },
  };
}
export type OpenedPage = ReturnType<typeof openPage>;

function withLang(here: URL, locale: Locale): string {
  const url = new URL(here);
  url.searchParams.set('lang', locale);
  return url.pathname + url.search;
}

/** A form of ours, sent from a page of ours. What other sites send is refused before anything is read from it. */
export function assertOurs({ publicUrl }: PageSite, { request }: PageRequest): void {
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

/** What a service refused, in the words of a page. Everything else goes on its way and is logged. */
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

/** For what was refused before a page was reached, or went wrong on it. */
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
