import type { PoolName } from '../../../platform/pool.ts';
import type { LibraryPages } from '../../pools/index.ts';
import { trusted } from '../html/html.ts';
import { renderPage } from '../html/layout.ts';
import { chooseLocale, textsOf } from '../locale/locale.ts';
import { messagePage } from './message-page.ts';
import { signOutPage } from './sign-out-page.ts';
import type { PageContent } from '../html/components.ts';
import { describeProblem } from '../problem.ts';

type LibraryContext = Parameters<LibraryPages['signedOut']>[0];

/** The pages that the OIDC library shows, in our layout. */
export function libraryPages(pool: PoolName, formOrigins: readonly string[]): LibraryPages {
  const show = (ctx: LibraryContext, content: (t: ReturnType<typeof textsOf>) => PageContent) => {
    const requestedLocale = ctx.query['ui_locales'];
    const locale = chooseLocale(
      typeof requestedLocale === 'string' ? requestedLocale : undefined,
      ctx.get('accept-language'),
    );
    const page = renderPage({ ...content(textsOf(locale)), pool, locale, languageLinks: [], formOrigins });
    ctx.set(page.headers);
    ctx.body = page.html;
  };
  return {
    error: async (ctx, error) =>
      show(ctx, (t) => {
        const { what, next } = describeProblem(t, {
          reason: error === 'invalid_request' ? 'session_expired' : 'unexpected',
        });
        return messagePage(t, { heading: what, text: next });
      }),
    signOut: async (ctx, form) => show(ctx, (t) => signOutPage(t, trusted(form))),
    signedOut: async (ctx) => show(ctx, (t) => messagePage(t, { heading: t.signedOut.title, text: t.signedOut.text })),
  };
}
