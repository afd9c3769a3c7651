import type { Service } from '@parley/portal-kit/service';
import { api, call } from '@parley/portal-kit/ui';

interface Owner {
  id: string;
  name: string;
  workspaceId: string;
}

/** The bot's public widget key. It only starts chats on the bot's allowed websites. */
export const createWidgetKey = (bot: Owner, environmentId: string | null) =>
  call(
    api.POST('/api-keys', {
      body: {
        name: `${bot.name} widget`.slice(0, 80),
        keyType: 'public_widget',
        boundBotId: bot.id,
        workspaceId: bot.workspaceId,
        environmentId,
        expiresAt: null,
        permissions: [],
      },
    }),
  );

/** The whole key, for a snippet that can be pasted as it is. Undefined for members who can't manage keys. */
export const readWidgetKey = async (service: Service, id: string): Promise<string | undefined> =>
  (await service.POST('/api-keys/{id}/reveal', { params: { path: { id } } })).data?.secret;
