/**
 * Why a page, file or source could not be synced. The keys are stable; the messages are shown to the people who manage
 * the bot.
 */
export const problems = {
  // Fetched or uploaded content
  too_large: 'This is too large to process. Split it into smaller parts.',
  processing_timeout: 'Processing took too long. Try a simpler or smaller version.',
  unsupported_type: 'This format is not supported. Use web pages, Markdown, plain text, PDF or Word (.docx).',
  no_text: 'No text found. A scanned document needs text recognition (OCR) first.',
  password_protected: 'This file is password-protected. Upload it without a password.',
  corrupted: 'This file or page is damaged or could not be parsed.',
  storage_full:
    'Your plan’s knowledge storage is full, so the previous content was kept. Delete a source or ask for more storage, then sync again.',
  // Fetching
  blocked_by_robots:
    'The site’s robots.txt doesn’t allow this page. Allow “ParleyBot” there, or exclude the page’s path, then sync again.',
  robots_unavailable:
    'The site’s robots.txt could not be loaded, so the sync stopped. We’ll try again at the next sync.',
  https_only: 'The URL must start with https://.',
  url_not_allowed: 'This URL is not allowed. Use the public URL of the page.',
  host_not_found: 'No site with this name was found. Check the URL for typos.',
  site_unreachable: 'The site could not be reached. Check that it is online, then sync again.',
  site_timeout: 'The site took too long to respond. Sync again later.',
  invalid_certificate: 'The site’s certificate is not valid.',
  site_error: 'The site returned an error. Sync again later.',
  page_not_found: 'The page no longer exists.',
  page_forbidden: 'The site refused access to this page. It may require signing in.',
  redirected_to_other_site: 'The page redirects to another site. Add that site’s URL instead.',
  too_many_redirects: 'The page redirects too many times. Add the final URL instead.',
  needs_javascript:
    'This page shows its content only with JavaScript, which is not run here. Add the content as text or a file, or ask the site’s developers for a version rendered on the server.',
  duplicate_content: 'Another page of this source has the same content, so this one is not used.',
  invalid_sitemap: 'This is not a valid XML sitemap.',
  sitemap_empty: 'The sitemap lists no pages on its site that match your filters.',
} as const;
export type Problem = keyof typeof problems;

/** The message for a stored reason, which may come from an older or newer version of this server. */
export const messageFor = (reason: string): string =>
  Object.hasOwn(problems, reason) ? problems[reason as Problem] : 'The source could not be synced. Sync again later.';

/** The document or its site is at fault, not this server: an immediate retry would fail in the same way. */
export class Unreadable extends Error {
  readonly reason: Problem;

  constructor(reason: Problem, cause?: unknown) {
    super(`Cannot be read: ${reason}.`, { cause });
    this.name = 'Unreadable';
    this.reason = reason;
  }
}

/** Problems that may be gone at the next sync. The previous content is kept until then. */
const transient = new Set<Problem>([
  'processing_timeout',
  'storage_full',
  'robots_unavailable',
  'host_not_found',
  'site_unreachable',
  'site_timeout',
  'invalid_certificate',
  'site_error',
]);
export const isTransient = (problem: Problem): boolean => transient.has(problem);
