import type { Finding } from './finding.ts';
import type { Markup, Snippet } from './html.ts';
import { hintOf, isWellFormed } from './key.ts';

// What is wrong with the element itself: nobody needs to be asked for that.

/** As it was called elsewhere, or before: without its dashes and the word `data`. */
const spellings: Record<string, string[]> = {
  'data-bot-id': ['botid', 'bot', 'chatbotid', 'chatbot'],
  'data-public-key': ['publickey', 'key', 'apikey', 'widgetkey', 'publicapikey', 'sitekey'],
};
const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/^data/, '')
    .replaceAll(/[^a-z]/g, '');

export const noSnippet = ({ hiddenIn }: Markup, isBrowser: boolean): Finding => ({
  cause: 'no_snippet',
  message: 'The page has no script element of the chat.',
  evidence: hiddenIn
    ? `There is one in ${hiddenIn}, where browsers run nothing.`
    : isBrowser
      ? 'Neither in what the server sent nor in what scripts made of it.'
      : 'Not in what the server sent. What scripts add later, only a browser sees: try again where there is one.',
  fix: 'Put `<script src="https://…/cdn/chatbot-widget.js" data-public-key="pk_live_…" data-bot-id="bot_…" async></script>` before `</body>`. The portal shows yours on the bot’s Appearance page.',
});

/** Anywhere in the page: until it is changed, it opens to everybody what it may. */
export function serverKeyIn(html: string): Finding | undefined {
  const key = html.match(/sc_live_[0-9A-Za-z]{41}/g)?.find(isWellFormed);
  if (!key) return undefined;
  return {
    cause: 'server_key_in_page',
    message: 'A SERVER KEY IS IN THE PAGE. Everybody who looks at its source can act for your organisation.',
    evidence: `${hintOf(key)} stands in the source of the page.`,
    fix: 'Revoke that key now (`parley keys revoke <id>`). Pages take widget keys, which begin with pk_live_.',
  };
}

export function misplaced({ src, attributes }: Snippet): Finding | undefined {
  if (!src) return missing('src', 'https://…/cdn/chatbot-widget.js', attributes);
  const type = attributes['type']?.trim().toLowerCase() ?? '';
  if (type && !/^(module|(text|application)\/(x-)?(java|ecma)script)$/.test(type))
    return {
      cause: 'script_held_back',
      message: 'Browsers do not run the script, because its type is not one of scripts.',
      evidence: `type="${type}"`,
      fix: 'Remove `type`. If a consent manager put it there, let the chat through: it stores nothing before somebody writes, or use data-consent="required".',
    };
  for (const name of ['data-bot-id', 'data-public-key']) {
    if (attributes[name]) continue;
    const similar = Object.keys(attributes).find((one) => one !== name && spellings[name]?.includes(plain(one)));
    if (similar)
      return {
        cause: 'attribute_misspelt',
        message: `The chat looks for ${name}, and the page says ${similar}.`,
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
  evidence: `It has ${Object.keys(attributes).join(', ')}.`,
  fix: `Add ${name}="${value}". The portal shows the whole line on the bot’s Appearance page.`,
});

export function malformedKey({ attributes }: Snippet): Finding | undefined {
  const key = attributes['data-public-key'] ?? '';
  if (isWellFormed(key)) return undefined;
  return {
    cause: 'key_malformed',
    message: 'data-public-key is no key: it was cut, or mistyped.',
    evidence: key.startsWith('pk_live_')
      ? `${hintOf(key)} has ${key.length} characters${key.length === 49 ? ', and its checksum is wrong' : ' and not 49'}.`
      : `${hintOf(key)} does not begin with pk_live_.`,
    fix: 'Copy the widget key again, whole.',
  };
}

export const twice = (botId: string, count: number): Finding => ({
  cause: 'loaded_twice',
  message: `The page has the chat of this bot ${count} times. Only the first counts.`,
  evidence: `${count} script elements with data-bot-id="${botId}"`,
  fix: 'Keep one. Often one is in a template and another comes from a tag manager.',
});
