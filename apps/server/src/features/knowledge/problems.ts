/** Why a page, file or whole source could not be taken in. The words are stable; the sentences are for whoever looks after the bot. */
export const problems = {
  // What was fetched or uploaded
  too_large: 'This is too large to read. Split it into smaller parts.',
  too_slow: 'Reading this took too long. Try a simpler or smaller version of it.',
  wrong_type: 'We can read web pages, Markdown, plain text, PDF and Word (.docx). This is something else.',
  empty:
    'We found no text here. A scanned document needs its text recognised first; a page may need a browser to show its text.',
  encrypted: 'This file is protected with a password. Upload it without one.',
  broken: 'This file or page is damaged, or built in a way that we cannot read.',
  // The way there
  robots_refused: 'The site’s robots.txt asks us not to read this. Allow “ParleyBot” there, then sync again.',
  robots_unavailable: 'The site’s robots.txt could not be read, so we did not go on. We try again with the next sync.',
  https_only: 'The address must begin with https://.',
  address_not_allowed: 'We may not call this address. Use the public address of the page.',
  host_not_found: 'There is no site with this name. Check the address for typing errors.',
  site_unreachable: 'The site could not be reached. Check that it is online, then sync again.',
  site_timeout: 'The site took too long to answer. Sync again later.',
  site_certificate: 'The site’s certificate is not valid, so we could not read it safely.',
  site_failing: 'The site answered with an error of its own. Sync again later.',
  page_not_found: 'There is no such page any more.',
  page_refused: 'The site does not show this page without signing in, or not to us.',
  redirected_away: 'The page sends visitors on to another site. Add that site’s address instead.',
  too_many_redirects: 'The page sends visitors on and on. Add the address where it ends.',
  sitemap_broken: 'This is not a sitemap that we can read: it must be the XML that search engines use.',
  sitemap_empty: 'The sitemap names no page of its own site that your filters let through.',
} as const;
export type Problem = keyof typeof problems;

/** The sentence for a word that was stored, also by an older or newer version of this server. */
export const sentenceFor = (reason: string): string =>
  Object.hasOwn(problems, reason) ? problems[reason as Problem] : 'This could not be read. Sync again later.';

/** A fault of what we were given, never of ours: trying again at once would end the same way. */
export class Unreadable extends Error {
  readonly reason: Problem;

  constructor(reason: Problem, cause?: unknown) {
    super(`It cannot be read: ${reason}.`, { cause });
    this.name = 'Unreadable';
    this.reason = reason;
  }
}

/** What may be over by the next sync: what was read before is kept until then. */
const passing = new Set<Problem>([
  'too_slow',
  'robots_unavailable',
  'host_not_found',
  'site_unreachable',
  'site_timeout',
  'site_certificate',
  'site_failing',
]);
export const mayPass = (problem: Problem): boolean => passing.has(problem);
