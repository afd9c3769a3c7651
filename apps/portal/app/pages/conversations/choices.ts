import { api } from '@parley/portal-kit/ui';
import { browserData, rowsOf } from '../../parts/browser-data.ts';
import { environmentOptions } from '../../parts/environments.ts';

// What lists and menus of the inbox offer, and the names that rows refer to.

const limit = { params: { query: { limit: 100 } } };

export const [useBots] = browserData(() => rowsOf(api.GET('/bots', limit)));
export const [useEnvironments] = browserData(() => environmentOptions(api));
export const [useTags, refreshTags] = browserData(async () =>
  (await rowsOf(api.GET('/inbox/tags'))).map(({ tag }) => tag),
);
export const [useSavedViews, refreshSavedViews] = browserData(() => rowsOf(api.GET('/inbox/views')));
export const [useSavedReplies, refreshSavedReplies] = browserData(() => rowsOf(api.GET('/saved-replies')));
export const [useAgents] = browserData(() => rowsOf(api.GET('/agents')));
export const [useTeams] = browserData(() => rowsOf(api.GET('/teams', limit)));

/** The name of a conversation's bot, and whether a model can draft for it. Empty for a bot that was deleted. */
export const [useConversationBot] = browserData(async (id) => {
  const params = { path: { id } };
  const [bot, models] = await Promise.all([
    api.GET('/bots/{id}', { params }),
    rowsOf(api.GET('/bots/{id}/models', { params })),
  ]);
  return { name: bot.data?.bot.name, hasModel: models.length > 0 };
});
