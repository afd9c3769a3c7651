import type { Schemas } from '@parley/portal-kit/service';
import { useOutletContext, useRouteLoaderData } from 'react-router';

export type Bot = Schemas['Bot'];
export type Draft = Bot['draft'];
export type Appearance = Draft['appearance'];
export type Environment = Schemas['Environment'];
export type VersionHead = Schemas['BotVersionHead'];
export type Source = Schemas['KnowledgeSource'];
export type SourceContent = Schemas['KnowledgeContent'];

export interface BotData {
  bot: Bot;
  environments: Environment[];
  /** The newest version; null if none was published. */
  newest: VersionHead | null;
  /** Labels of the fields in which the draft differs from it. */
  changed: string[];
  /** Version numbers by ID, for deployed versions. */
  numbers: Record<string, number>;
}

/** The bot loaded by the parent route. */
export function useBot(): BotData {
  const data: BotData | undefined = useRouteLoaderData('pages/bots/bot');
  if (!data) throw new Error('only for pages of a bot');
  return data;
}

interface BotOutletContext {
  /** Pages report unsaved changes, which block publishing. */
  setUnsaved(isUnsaved: boolean): void;
}
export const useBotOutlet = () => useOutletContext<BotOutletContext>();

/** The default environment for visitors. */
export const liveOf = (environments: Environment[]): Environment | undefined =>
  environments.find(({ name }) => name === 'live') ?? environments[0];

export const statusLabels = { active: 'Active', paused: 'Paused', archived: 'Archived' } as const;
export const statusTones = { active: 'good', paused: 'warn', archived: 'idle' } as const;
