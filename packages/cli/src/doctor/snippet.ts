import type { Finding } from './finding.ts';
import type { Markup, Snippet } from './html.ts';
import { hintOf, isWellFormed } from './key.ts';

// Problems of the script element itself, found offline.

/** Common wrong names, without dashes and `data`. */
const spellings: Record<string, string[]> = {
  'data-bot-id': ['botid', 'bot', 'chatbotid', 'chatbot'],
  'data-public-key': ['publickey', 'key', 'apikey', 'widgetkey', 'publicapikey', 'sitekey'],
};
const normalise = (name: string) =>
  name
    .toLowerCase()
    .replace(/^data/, '')
    .replaceAll(/[^a-z]/g, '');

export const noSnippet = ({ hiddenIn }: Markup, isBrowser: boolean): Finding => ({
  cause: 'no_snippet',
  message: 'The page doesn’t include the chat script.',
  evidence: hiddenIn
    ? `There is one in ${hiddenIn}, where browsers don’t run scripts.`
    : isBrowser
      ? 'Not found in the server’s HTML or in the page after scripts ran.'
      : 'Not found in the server’s HTML. Scripts may add it later: run this on a machine with a browser to check.',
  fix: 'Add `<script src="https://…/cdn/chatbot-widget.js" data-public-key="pk_live_…" data-bot-id="bot_…" async></script>` before `</body>`. Copy your snippet from the bot’s Appearance page in the portal.',
});

/** Anywhere in the page: until it is revoked, anyone can use it. */
export function serverKeyIn(html: string): Finding | undefined {
  const key = html.match(/sc_live_[0-9A-Za-z]{41}/g)?.find(isWellFormed);
  if (!key) return undefined;
  return {
    cause: 'server_key_in_page',
    message: 'A SERVER KEY IS EXPOSED ON THE PAGE. Anyone who views the source can act for your organisation.',
    evidence: `${hintOf(key)} is in the page source.`,
    fix: 'Revoke that key now (`parley keys revoke <id>`). Web pages need a public key, which starts with pk_live_.',
  };
}

export function misplaced({ src, attributes }: Snippet): Finding | undefined {
  if (!src) return missing('src', 'https://…/cdn/chatbot-widget.js', attributes);
  const type = attributes['type']?.trim().toLowerCase() ?? '';
  if (type && !/^(module|(text|application)\/(x-)?(java|ecma)script)$/.test(type))
    return {
      cause: 'script_not_executed',
      message: 'Browsers don’t run the script because its type isn’t JavaScript.',
      evidence: `type="${type}"`,
      fix: 'Remove `type`. If a consent manager added it, allow the chat, which stores nothing until a visitor writes, or use data-consent="required".',
    };
  for (const name of ['data-bot-id', 'data-public-key']) {
    if (attributes[name]) continue;
    const similar = Object.keys(attributes).find((one) => one !== name && spellings[name]?.includes(normalise(one)));
    if (similar)
      return {
        cause: 'attribute_misspelt',
        message: `The attribute should be ${name}, not ${similar}.`,
        evidence: `${similar}="${hintOf(attributes[similar] ?? '')}"`,
        fix: `Rename ${similar} to ${name}.`,
      };
    return missing(name, name === 'data-bot-id' ? 'bot_…' : 'pk_live_…', attributes);
  }
  return undefined;
}

const missing = (name: string, value: string, attributes: Snippet['attributes']): Finding => ({
  cause: 'attribute_missing',
  message: `The script element has no ${name}.`,
  evidence: `Found: ${Object.keys(attributes).join(', ')}.`,
  fix: `Add ${name}="${value}". Copy the full snippet from the bot’s Appearance page in the portal.`,
});

export function malformedKey({ attributes }: Snippet): Finding | undefined {
  const key = attributes['data-public-key'] ?? '';
  if (isWellFormed(key)) return undefined;
  return {
    cause: 'key_malformed',
    message: 'data-public-key isn’t a valid key. It may be incomplete or mistyped.',
    evidence: key.startsWith('pk_live_')
      ? `${hintOf(key)} has ${key.length} characters${key.length === 49 ? ', and its checksum is wrong' : ' instead of 49'}.`
      : `${hintOf(key)} doesn’t start with pk_live_.`,
    fix: 'Copy the complete public key again.',
  };
}

export const loadedTwice = (botId: string, count: number): Finding => ({
  cause: 'loaded_twice',
  message: `The page includes this bot’s script ${count} times. Only the first one is used.`,
  evidence: `${count} script elements with data-bot-id="${botId}"`,
  fix: 'Keep one of them. Often one is in a template and another is added by a tag manager.',
});
