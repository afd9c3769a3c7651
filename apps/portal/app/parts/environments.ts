import type { Service } from '@parley/portal-kit/service';

/** To filter by. Each workspace has environments of the same names, so with several, theirs is added. */
export async function environmentOptions(service: Service): Promise<{ value: string; label: string }[]> {
  const query = { limit: 100 };
  const [environments, workspaces] = await Promise.all([
    service.GET('/environments', { params: { query } }),
    service.GET('/workspaces', { params: { query } }),
  ]);
  const names = new Map((workspaces.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (environments.data?.data ?? []).map(({ id, name, workspaceId }) => ({
    value: id,
    label: names.size > 1 ? `${names.get(workspaceId) ?? ''} ${name}`.trim() : name,
  }));
}
