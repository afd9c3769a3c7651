import { CliError, exitCodes } from '../exit-codes.ts';
import { inspectInBrowser, type Launch, type BrowserResult } from './browser.ts';
import type { Finding } from './finding.ts';
import { readMarkup, type Snippet } from './html.ts';
import { forbiddenBy, ruleIn, type LoadDirective } from './policy.ts';
import { request, requestConfig, checkScript, clockFinding, reasonOf, configUrlOf } from './service.ts';
import { malformedKey, misplaced, noSnippet, serverKeyIn, loadedTwice } from './snippet.ts';

/**
 * Why the chat is not on a page. Reports the first problem of each snippet, without its consequences.
 * With a browser it checks what visitors get; without one, it reads what the server sends and infers the rest.
 */
export async function diagnose(page: string, { launch }: { launch?: Launch | undefined } = {}): Promise<Finding[]> {
  const sent = await read(page);
  const markup = readMarkup(sent.html, sent.url);
  const observed = launch && (await inspectInBrowser(launch, sent.url));
  const { snippets } = observed ?? markup;

  const context: PageContext = { url: sent.url, policies: [...sent.policies, ...markup.policies], observed };
  const exposed = serverKeyIn(
    [sent.html, ...snippets.flatMap(({ attributes }) => Object.values(attributes))].join(' '),
  );
  const findings: Finding[] = exposed ? [exposed] : [];
  if (snippets.length === 0) findings.push(noSnippet(markup, observed !== undefined));
  for (const [botId, duplicates] of Map.groupBy(snippets, ({ attributes }) => attributes['data-bot-id'] ?? '')) {
    const [first] = duplicates;
    // An exposed server key is reported already, and hides all other problems.
    if (first && !serverKeyIn(first.attributes['data-public-key'] ?? ''))
      findings.push(...(await checkSnippet(first, context)));
    if (botId && duplicates.length > 1) findings.push(loadedTwice(botId, duplicates.length));
  }
  return findings;
}

interface PageContext {
  url: string;
  policies: string[];
  observed: BrowserResult | undefined;
}

async function read(page: string) {
  const response = await request(page, { accept: 'text/html' }).catch((error: unknown) => {
    throw new CliError(exitCodes.unavailable, 'page_unreachable', `Can’t reach ${page}: ${reasonOf(error)}`);
  });
  if (!response.ok) throw new CliError(exitCodes.notFound, 'page_failed', `${page} returned ${response.status}.`);
  const policy = response.headers.get('content-security-policy');
  return { url: response.url, html: await response.text(), policies: policy ? policy.split(',') : [] };
}

/** In the order in which a browser would fail. */
async function checkSnippet(snippet: Snippet, context: PageContext): Promise<Finding[]> {
  const { src } = snippet;
  const own = misplaced(snippet) ?? mixed(snippet, context) ?? policyAgainst('script-src', src, snippet, context);
  if (own) return [own];
  const script =
    (await checkScript(snippet)) ??
    blockedScript(snippet, context) ??
    malformedKey(snippet) ??
    policyAgainst('connect-src', configUrlOf(snippet), snippet, context);
  if (script) return [script];
  const { apiUrl, finding, aheadMs } = await requestConfig(snippet, new URL(context.url).origin);
  const clock = clockFinding(aheadMs);
  const rest =
    finding ??
    (apiUrl === undefined ? undefined : policyAgainst('connect-src', apiUrl, snippet, context)) ??
    framePolicy(snippet, context) ??
    notShown(snippet, context);
  return [rest, clock].filter((one) => one !== undefined);
}

function mixed({ src }: Snippet, { url }: PageContext): Finding | undefined {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(src).hostname); // browsers trust these
  if (isLocal || !url.startsWith('https:') || !src.startsWith('http:')) return undefined;
  return {
    cause: 'mixed_content',
    message: 'The page uses HTTPS but loads the script over HTTP, which browsers block.',
    evidence: `src="${src}"`,
    fix: 'Use https:// in src.',
  };
}

const framePolicy = (snippet: Snippet, context: PageContext) =>
  snippet.attributes['data-isolation'] === 'iframe'
    ? policyAgainst('frame-src', new URL('.', snippet.src).href, snippet, context)
    : undefined;

/** What the browser reported, or what the policies say. */
function policyAgainst(
  use: LoadDirective,
  url: string,
  { attributes }: Snippet,
  { url: pageUrl, policies, observed }: PageContext,
): Finding | undefined {
  const { origin } = new URL(url);
  const report = observed?.blocked.find((one) => one.directive.startsWith(use) && one.url.startsWith(origin));
  const rule = observed
    ? report && ruleIn(report.policy, report.directive)
    : forbiddenBy(policies, use, url, pageUrl, attributes['nonce']);
  if (!rule) return undefined;
  return policyFinding(
    use,
    url,
    rule,
    use === 'script-src' ? `${origin}, or a nonce that is set on the script element` : origin,
  );
}
const policyFinding = (directive: string, url: string, rule: string, what: string): Finding => ({
  cause: 'blocked_by_policy',
  message: `The page’s Content Security Policy blocks the chat: ${directive}.`,
  evidence: `${url} is not allowed by: ${rule}`,
  fix: `Add to ${directive}: ${what}`,
});

/** Reachable for us, but not for the browser. */
function blockedScript({ src }: Snippet, { observed }: PageContext): Finding | undefined {
  const failure = observed?.failed.find(({ url }) => url === src);
  if (!failure) return undefined;
  const isClient = failure.error.includes('BLOCKED_BY_CLIENT');
  return {
    cause: 'script_blocked',
    message: isClient
      ? 'A browser extension blocks the script.'
      : 'The browser couldn’t load the script, although the URL works.',
    evidence: `${src}: ${failure.error}`,
    fix: isClient
      ? 'Try again without ad blockers. If your visitors are affected too, serve the script from your own domain.'
      : 'Check what is between the browser and the API: a proxy, a firewall, or DNS that resolves differently.',
  };
}

/** Any other reason why the browser shows no chat. */
function notShown({ src }: Snippet, { observed }: PageContext): Finding | undefined {
  if (!observed || observed.hasChat) return undefined;
  const [violation] = observed.blocked;
  if (violation)
    return policyFinding(
      violation.directive,
      violation.url,
      ruleIn(violation.policy, violation.directive),
      violation.url,
    );
  const evidence =
    [...observed.consoleMessages, ...observed.failed.map(({ url, error }) => `${url}: ${error}`)].join('; ') ||
    'No console messages and no failed requests.';
  return observed.hasButton
    ? {
        cause: 'chat_does_not_open',
        message: 'The chat button is there, but the chat doesn’t open.',
        evidence,
        fix: 'Check the browser’s console and network tab while you click it.',
      }
    : {
        cause: 'no_button',
        message: 'Everything is set up correctly, but there’s no chat button.',
        evidence,
        fix: `Check whether ${src} was added with innerHTML, because such scripts never run, and whether the page hides the chat with Chatbot.hide or CSS for parley-chat.`,
      };
}
