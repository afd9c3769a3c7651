import { demo } from './browser.ts';
import { anOperator, operatorToken } from './operators.ts';
import { aNewcomer, post } from './people.ts';

const origin = { origin: new URL(demo.siteUrl).origin };

/** An organisation on the Team plan with a live bot, apart from the demo's: its settings affect no other test. */
export async function anOrganisation() {
  const owner = await aNewcomer();
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', owner);
  const headers = { authorization: `Bearer ${accessToken}` };
  const get = async <T>(path: string) => (await (await fetch(demo.apiUrl + path, { headers })).json()) as T;
  const { tenant } = await get<{ tenant: { id: string; name: string } }>('/tenant');
  await fetch(`${demo.apiUrl}/admin/tenants/${tenant.id}/entitlements`, {
    method: 'PATCH',
    headers: { ...(await operatorToken(await anOperator())), 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'team' }),
  });
  const environments = await get<{ data: { id: string; name: string; workspaceId: string }[] }>('/environments');
  const environment = environments.data.find(({ name }) => name === 'live');
  if (!environment) throw new Error('no environment');
  const scope = { workspaceId: environment.workspaceId, environmentId: environment.id };
  const { bot } = await post<{ bot: { id: string } }>(
    '/bots',
    {
      name: 'Nori',
      workspaceId: scope.workspaceId,
      allowedOrigins: [origin.origin],
      draft: { title: 'Nori', greeting: 'Hello.' },
    },
    headers,
  );
  const { version } = await post<{ version: { id: string } }>(`/bots/${bot.id}/versions`, {}, headers);
  const deployment = { environmentId: scope.environmentId, versionId: version.id };
  await post(`/bots/${bot.id}/deployments`, deployment, headers);
  const key = { name: 'Page', keyType: 'public_widget', boundBotId: bot.id, ...scope };
  const { secret: publicKey } = await post<{ secret: string }>('/api-keys', key, headers);
  const openSession = () =>
    post<{ sessionToken: string }>(
      '/widget/sessions/anonymous',
      { publicKey, botId: bot.id, visitorId: 'web' },
      origin,
    );
  return { owner, headers, tenant, scope, botId: bot.id, publicKey, get, openSession };
}
