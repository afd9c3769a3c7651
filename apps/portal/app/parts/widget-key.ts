import { api, call } from '@parley/portal-kit/ui';

interface Owner {
  id: string;
  name: string;
  workspaceId: string;
}

/** The key that pages open this bot with. It is public; what it opens are chats on the bot's own sites. */
export const makeWidgetKey = (bot: Owner, environmentId: string | null) =>
  call(
    api.POST('/api-keys', {
      body: {
        name: `${bot.name}: pages`.slice(0, 80),
        keyType: 'public_widget',
        boundBotId: bot.id,
        workspaceId: bot.workspaceId,
        environmentId,
        expiresAt: null,
        permissions: [],
      },
    }),
  );
