import { embed, type Bot } from './embed.ts';

// The whole of what every page pays for: finds its script elements, puts a button for each, and takes calls from the page.

type Call = [command: keyof Bot, ...args: unknown[]];
interface Api extends Partial<Bot> {
  (...call: Call): unknown;
  /** Each bot on the page, by its id. */
  bots: Record<string, Bot>;
  /** Called before there was a bot. A page may put a function with this in our place until we are here. */
  q: Call[];
}

const page = window as unknown as { Chatbot?: Api };

/** What is called without naming a bot is for the first. */
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
  const here = () => {
    const bot = (api.bots[botId] ??= embed(script, () => delete api.bots[botId]));
    for (const name in bot)
      (api as object as Record<string, unknown>)[name] ??= (...args: []) => api(name as 'open', ...args);
    for (const call of api.q.splice(0)) api(...call);
  };
  if (version === BUILD.version) here();
  else if (!api.bots[botId])
    import(new URL(`chatbot-widget.${version}.js`, script.src).href).catch(() => {
      console.warn(`Chatbot: no version ${version}`);
      here();
    });
}
