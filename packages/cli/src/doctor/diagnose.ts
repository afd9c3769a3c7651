import { CliError, exitCodes } from '../exit-codes.ts';
import { lookInBrowser, type Launch, type Seen } from './browser.ts';
import type { Finding } from './finding.ts';
import { readMarkup, type Snippet } from './html.ts';
import { forbiddenBy, ruleIn, type Use } from './policy.ts';
import { ask, askSetup, checkScript, clockFinding, reasonOf, setupUrlOf } from './service.ts';
import { malformedKey, misplaced, noSnippet, serverKeyIn, twice } from './snippet.ts';

/**
 * Why the chat is not on a page. The first thing that is wrong with a snippet is told, and what follows from it is not.
 * With a browser it sees what visitors get; without one, it reads what the server sends and works out the rest.
 */
export async function diagnose(page: string, { launch }: { launch?: Launch | undefined } = {}): Promise<Finding[]> {
  const sent = await read(page);
  const markup = readMarkup(sent.html, sent.url);
  const seen = launch && (await lookInBrowser(launch, sent.url));
  const { snippets } = seen ?? markup;

  const place: Place = { url: sent.url, policies: [...sent.policies, ...markup.policies], seen };
  const exposed = serverKeyIn(
    [sent.html, ...snippets.flatMap(({ attributes }) => Object.values(attributes))].join(' '),
  );
  const findings: Finding[] = exposed ? [exposed] : [];
  if (snippets.length === 0) findings.push(noSnippet(markup, seen !== undefined));
  for (const [botId, same] of Map.groupBy(snippets, ({ attributes }) => attributes['data-bot-id'] ?? '')) {
    const [first] = same;
    // A key that must go is told of already, and nothing else can be said before it is gone.
    if (first && !serverKeyIn(first.attributes['data-public-key'] ?? ''))
      findings.push(...(await examine(first, place)));
    if (botId && same.length > 1) findings.push(twice(botId, same.length));
  }
  return findings;
}

interface Place {
  url: string;
  policies: string[];
  seen: Seen | undefined;
}

async function read(page: string) {
  const response = await ask(page, { accept: 'text/html' }).catch((error: unknown) => {
    throw new CliError(exitCodes.away, 'page_unreachable', `Can’t reach ${page}: ${reasonOf(error)}`);
  });
  if (!response.ok) throw new CliError(exitCodes.notFound, 'page_failed', `${page} returned ${response.status}.`);
  const policy = response.headers.get('content-security-policy');
  return { url: response.url, html: await response.text(), policies: policy ? policy.split(',') : [] };
}

/** In the order in which a browser meets it. */
async function examine(snippet: Snippet, place: Place): Promise<Finding[]> {
  const { src } = snippet;
  const own = misplaced(snippet) ?? mixed(snippet, place) ?? policyAgainst('script-src', src, snippet, place);
  if (own) return [own];
  const script =
    (await checkScript(snippet)) ??
    blocked(snippet, place) ??
    malformedKey(snippet) ??
    policyAgainst('connect-src', setupUrlOf(snippet), snippet, place);
  if (script) return [script];
  const { apiUrl, refused, aheadMs } = await askSetup(snippet, new URL(place.url).origin);
  const clock = clockFinding(aheadMs);
  const rest =
    refused ??
    (apiUrl === undefined ? undefined : policyAgainst('connect-src', apiUrl, snippet, place)) ??
    framePolicy(snippet, place) ??
    unseen(snippet, place);
  return [rest, clock].filter((one) => one !== undefined);
}

function mixed({ src }: Snippet, { url }: Place): Finding | undefined {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(src).hostname); // browsers trust these
  if (isLocal || !url.startsWith('https:') || !src.startsWith('http:')) return undefined;
  return {
    cause: 'mixed_content',
    message: 'The page uses HTTPS but loads the script over HTTP, which browsers block.',
    evidence: `src="${src}"`,
    fix: 'Use https:// in src.',
  };
}

const framePolicy = (snippet: Snippet, place: Place) =>
  snippet.attributes['data-isolation'] === 'iframe'
    ? policyAgainst('frame-src', new URL('.', snippet.src).href, snippet, place)
    : undefined;

/** What a browser reported, else what the policies say. */
function policyAgainst(
  use: Use,
  url: string,
  { attributes }: Snippet,
  { url: pageUrl, policies, seen }: Place,
): Finding | undefined {
  const { origin } = new URL(url);
  const report = seen?.forbidden.find((one) => one.directive.startsWith(use) && one.url.startsWith(origin));
  const rule = seen
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

/** It is there for us, and not for the browser. */
function blocked({ src }: Snippet, { seen }: Place): Finding | undefined {
  const failure = seen?.failed.find(({ url }) => url === src);
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

/** Whatever else: the browser is the judge. */
function unseen({ src }: Snippet, { seen }: Place): Finding | undefined {
  if (!seen || seen.hasChat) return undefined;
  const [violation] = seen.forbidden;
  if (violation)
    return policyFinding(
      violation.directive,
      violation.url,
      ruleIn(violation.policy, violation.directive),
      violation.url,
    );
  const evidence =
    [...seen.said, ...seen.failed.map(({ url, error }) => `${url}: ${error}`)].join('; ') ||
    'No console messages and no failed requests.';
  return seen.hasButton
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
