import { read } from '@parley/portal-kit/context';
import type { Schemas, Service } from '@parley/portal-kit/service';
import { liveOf } from '../pages/bots/bot-data.ts';
import { exampleQuestion, headingsOf } from './example-question.ts';
import { readWidgetKey } from './widget-key.ts';

type Bot = Schemas['Bot'];
type Source = Schemas['KnowledgeSource'];

/** A bot's setup progress, derived from its data and therefore always current. */
export interface SetupState {
  bot: Bot | null;
  sources: Source[];
  liveEnvironmentId: string | null;
  /** The widget key for the snippet; `publicKey` is undefined for members who can't manage keys. */
  key: { id: string; publicKey: string | undefined } | null;
  installs: { origin: string; firstSeenAt: string; lastSeenAt: string }[];
  steps: { isNamed: boolean; hasKnowledge: boolean; isPublished: boolean; isInstalled: boolean };
}

const emptyState: SetupState = {
  bot: null,
  sources: [],
  liveEnvironmentId: null,
  key: null,
  installs: [],
  steps: { isNamed: false, hasKnowledge: false, isPublished: false, isInstalled: false },
};

/** For the given bot, or the newest one. */
export async function readSetup(service: Service, request: Request, botId?: string): Promise<SetupState> {
  const bot = botId
    ? read(await service.GET('/bots/{id}', { params: { path: { id: botId } } }), request).bot
    : read(await service.GET('/bots', { params: { query: { status: 'active', limit: 1 } } }), request).data[0];
  if (!bot) return emptyState;
  const path = { id: bot.id };
  const [sources, environments, keys, installs] = await Promise.all([
    service.GET('/bots/{botId}/knowledge-sources', { params: { path: { botId: bot.id }, query: { limit: 25 } } }),
    service.GET('/environments', { params: { query: { workspaceId: bot.workspaceId, limit: 100 } } }),
    service.GET('/api-keys', { params: { query: { keyType: 'public_widget', limit: 100 } } }),
    service.GET('/bots/{id}/installs', { params: { path } }),
  ]);
  const sourceList = sources.data?.data ?? [];
  const live = liveOf(read(environments, request).data);
  const key = keys.data?.data.find(
    ({ boundBotId, status, environmentId }) =>
      boundBotId === bot.id &&
      (status === 'active' || status === 'rotating') &&
      environmentId !== null &&
      environmentId === live?.id,
  );
  const installed = installs.data?.data ?? [];
  return {
    bot,
    sources: sourceList,
    liveEnvironmentId: live?.id ?? null,
    key: key ? { id: key.id, publicKey: await readWidgetKey(service, key.id) } : null,
    installs: installed,
    steps: {
      isNamed: true,
      hasKnowledge: sourceList.some(({ chunks }) => chunks > 0),
      isPublished: live !== undefined && bot.deployments[live.id] !== undefined,
      isInstalled: installed.length > 0,
    },
  };
}

/** For the choice of how the bot answers. */
export interface AnswerChoice {
  /** The models the bot can use. Without any, it can only quote. */
  models: Schemas['BotModel']['id'][];
  /** A question that the content probably answers. */
  question: string;
}

export async function readAnswerChoice(
  service: Service,
  { bot, sources, steps }: SetupState,
): Promise<AnswerChoice | null> {
  if (!bot || !steps.hasKnowledge || steps.isPublished) return null;
  const [models, question] = await Promise.all([
    service.GET('/bots/{id}/models', { params: { path: { id: bot.id } } }),
    readExampleQuestion(service, sources),
  ]);
  return { models: models.data?.data.map(({ id }) => id) ?? [], question };
}

async function readExampleQuestion(service: Service, sources: readonly Source[]): Promise<string> {
  const source = sources.find(({ chunks }) => chunks > 0);
  if (!source) return exampleQuestion(undefined);
  const documents = await service.GET('/knowledge-sources/{id}/documents', {
    params: { path: { id: source.id }, query: { limit: 10 } },
  });
  const document = documents.data?.data.find(({ state }) => state === 'ready');
  if (!document) return exampleQuestion(undefined);
  const chunks = await service.GET('/knowledge-documents/{id}/chunks', {
    params: { path: { id: document.id }, query: { limit: 10 } },
  });
  const headings = chunks.data?.data.flatMap(headingsOf) ?? [];
  const topic = headings.find((heading) => heading && heading !== document.title) ?? document.title;
  return exampleQuestion({ topic, language: document.language });
}
