import { Loader, SegmentedControl, Stack, Text } from '@mantine/core';
import { api, call, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useEffect, useEffectEvent, useState } from 'react';
import { Changes } from './changes.tsx';
import type { Change } from './differences.ts';
import { useBot, type VersionHead } from './bot-data.ts';

interface Props {
  version: VersionHead;
  before: VersionHead | undefined;
  /** The live version, if it is a different one. */
  live: VersionHead | undefined;
  names: Record<string, string>;
}

export function Compare({ version, before, live, names }: Props) {
  const { bot } = useBot();
  const others = [
    ...(before ? [{ value: before.id, label: `Compared with version ${before.number}` }] : []),
    ...(live && live.id !== before?.id
      ? [{ value: live.id, label: `Compared with version ${live.number} (live)` }]
      : []),
  ];
  const [otherId, setOtherId] = useState(others[0]?.value);
  const [changes, setChanges] = useState<Change[]>();
  const load = useAction(
    async (from: string) => {
      setChanges(undefined);
      const path = { id: bot.id, versionId: from, otherId: version.id };
      const response = await call(api.GET('/bots/{id}/versions/{versionId}/diff/{otherId}', { params: { path } }));
      setChanges(response.changes);
    },
    { isQuiet: true },
  );
  const loadChanges = useEffectEvent((from: string) => void load.run(from));
  useEffect(() => {
    if (otherId) loadChanges(otherId);
  }, [otherId]);
  if (!otherId) return <Text>This is the first version, so there is nothing to compare it with.</Text>;
  return (
    <Stack gap="sm" mt={4}>
      {others.length > 1 ? (
        <SegmentedControl
          w="fit-content"
          maw="100%"
          aria-label="Compare"
          data={others}
          value={otherId}
          onChange={setOtherId}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {others[0]?.label}
        </Text>
      )}
      <ProblemText problem={load.problem} />
      <div role="status">
        {load.isRunning && <Loader size="sm" aria-label="Comparing" />}
        {changes?.length === 0 && <Text>No changes.</Text>}
      </div>
      {changes && changes.length > 0 && <Changes changes={changes} names={names} />}
    </Stack>
  );
}
