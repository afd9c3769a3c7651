import { embed, type Bot } from './embed.ts';

// Loaded on every page: finds its script elements, adds a button for each, and handles calls from the page.

type Call = [command: keyof Bot, ...args: unknown[]];
interface Api extends Partial<Bot> {
  (...call: Call): unknown;
  /** Each bot on the page, by its id. */
  bots: Record<string, Bot>;
  /** Calls queued before a bot exists. A page may define a stub with this queue before the script loads. */
  q: Call[];
}

const page = window as unknown as { Chatbot?: Api };

/** Calls without a bot id go to the first bot. */
function install(): Api {
  const bots: Api['bots'] = {};
  const q = page.Chatbot?.q ?? [];
  const api = (...call: Call) => {
    const [first] = Object.values(bots);
    const [command, ...args] = call;
    return first ? (first[command] as ((...args: unknown[]) => unknown) | undefined)?.(...args) : q.push(call);
  };
  return (page.Chatbot = Object.assign(api, { bots, q }));
}

const api = page.Chatbot?.bots ? page.Chatbot : install();
for (const script of document.querySelectorAll<HTMLScriptElement>('script[data-bot-id]')) {
  const { botId = '', version = BUILD.version } = script.dataset;
  const mountBot = () => {
    const bot = (api.bots[botId] ??= embed(script, () => delete api.bots[botId]));
    for (const name in bot)
      (api as object as Record<string, unknown>)[name] ??= (...args: []) => api(name as 'open', ...args);
    for (const call of api.q.splice(0)) api(...call);
  };
  if (version === BUILD.version) mountBot();
  else if (!api.bots[botId])
    import(new URL(`chatbot-widget.${version}.js`, script.src).href).catch(() => {
      console.warn(`Chatbot: no version ${version}`);
      mountBot();
    });
}
