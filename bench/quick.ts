import { pathToFileURL } from 'node:url';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { agent } from './chat-client.ts';
import { extractiveTurns, openedSessions, waitForService } from './chat-figures.ts';
import { compare, type Comparison } from './figures/comparison.ts';
import type { RatioCheck } from './figures/history.ts';
import { inWords } from './figures/result.ts';
import { keyRequests } from './keys.ts';
import { signIns } from './login.ts';
import { raiseReadLimit } from './limits.ts';
import { buildServer, built, withStack } from './servers.ts';

/** Each ratio is the median of so many, of a second or less each. */
const rounds = 7;

/**
 * The ratios of the hot paths at small sizes, to compare them with the last accepted ones: of CPU time where a process is
 * busy, of time where a request mostly waits. `slowedPercent` makes every request of the API take longer on purpose.
 */
export async function quick<T>(
  work: (checks: readonly RatioCheck[]) => Promise<T>,
  slowedPercent?: number,
): Promise<T> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const demo = await seedDemo(settings, site);
    await raiseReadLimit(stack, demo.tenantId);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    const api = runEntry(built.api, { ...settings, ...slowedBy(slowedPercent) });
    onEnd(api.stop);
    onEnd(runEntry(built.worker, settings).stop);
    onEnd(() => agent.destroy());
    await Promise.all([waitFor(`${apiUrl}/health/ready`), waitForService(stack, 'Conversation')]);
    const target = { apiUrl, api, site, ...demo };
    const env = slowedPercent === undefined ? {} : slowedBy(0); // for the peers: they measure too, and waste nothing
    const options = { duration: 1, env, onEnd };
    const comparisons = {
      'request with a server key': (await keyRequests(target, options)).byCpu,
      'widget session': (await openedSessions(target, options)).byCpu,
      'extractive turn': await extractiveTurns(target, stack, { settings, perRound: 20, onEnd }),
      'sign-in': await signIns(apiUrl, demo.customer, { concurrency: 1, perRound: 10, onEnd }),
    };
    return work(Object.entries(comparisons).map(([name, comparison]) => checkOf(name, comparison)));
  });
}

const site = 'http://localhost:1';

function checkOf(name: string, comparison: Comparison): RatioCheck {
  return {
    name,
    measure: async () => {
      const figure = await compare(comparison, rounds);
      console.log(inWords(figure));
      return figure.ratio ?? Number.NaN;
    },
  };
}

const slowedBy = (percent: number | undefined): Record<string, string> =>
  percent === undefined
    ? {}
    : {
        NODE_OPTIONS: `--import=${pathToFileURL(`${import.meta.dirname}/slowed.ts`).href}`,
        SLOWED: String(percent),
      };
