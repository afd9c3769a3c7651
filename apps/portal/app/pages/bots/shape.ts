import type { Schemas } from '@parley/portal-kit/service';
import { useOutletContext, useRouteLoaderData } from 'react-router';

export type Bot = Schemas['Bot'];
export type Draft = Bot['draft'];
export type Appearance = Draft['appearance'];
export type Environment = Schemas['Environment'];
export type VersionHead = Schemas['BotVersionHead'];
export type Source = Schemas['KnowledgeSource'];
export type SourceContent = Schemas['KnowledgeContent'];

export interface KnownBot {
  bot: Bot;
  environments: Environment[];
  /** The newest version that was published; null before the first. */
  newest: VersionHead | null;
  /** Where the draft differs from it, in words. */
  changed: string[];
  /** The number of each version that answers somewhere, by its id. */
  numbers: Record<string, number>;
}

/** The bot, as the frame around its pages read it. */
export function useBot(): KnownBot {
  const known = useRouteLoaderData('pages/bots/bot') as KnownBot | undefined;
  if (!known) throw new Error('only for pages of a bot');
  return known;
}

interface Frame {
  /** A page says that it holds what is not saved, so that nobody publishes in the belief that it is. */
  setUnsaved(isUnsaved: boolean): void;
}
export const useFrame = () => useOutletContext<Frame>();

/** The one that visitors meet, if nothing else is said. */
export const liveOf = (environments: Environment[]): Environment | undefined =>
  environments.find(({ name }) => name === 'live') ?? environments[0];

export const statusWords = { active: 'Active', paused: 'Paused', archived: 'Archived' } as const;
export const statusTones = { active: 'good', paused: 'warn', archived: 'idle' } as const;
