import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { api, call, Dialog, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { liveOf, useBot, type VersionHead } from './shape.ts';

interface Props {
  version: VersionHead | undefined;
  onClose(): void;
  onDone(sentence: string): void;
}

/** Puts a version in place, newer or older: says what visitors will see before it is done. */
export function Deploy({ version, onClose, onDone }: Props) {
  const { bot, environments, numbers } = useBot();
  const [environmentId, setEnvironmentId] = useState(liveOf(environments)?.id ?? '');
  const where = environments.find(({ id }) => id === environmentId)?.name ?? '';
  const presentId = bot.deployments[environmentId];
  const present = presentId === undefined ? undefined : numbers[presentId];
  const number = version?.number ?? 0;
  const isThere = presentId === version?.id;
  const isBack = present !== undefined && number < present;
  const deploy = useAction(async (versionId: string) => {
    await call(
      api.POST('/bots/{id}/deployments', { params: { path: { id: bot.id } }, body: { environmentId, versionId } }),
    );
    onDone(`Deployed version ${number} to ${where}. New conversations use it.`);
    onClose();
  });
  return (
    <Dialog
      isOpen={version !== undefined}
      onClose={onClose}
      title={isBack ? `Roll back to version ${number}` : `Deploy version ${number}`}
    >
      <Stack>
        <Select
          label="Environment"
          data={environments.map(({ id: value, name: label }) => ({ value, label }))}
          value={environmentId}
          onChange={(value) => setEnvironmentId(value ?? '')}
          allowDeselect={false}
        />
        <Text>
          {isThere
            ? `Version ${number} is already deployed to ${where}.`
            : `${present === undefined ? `Nothing is deployed to ${where} yet.` : `Version ${present} is deployed to ${where} now.`} New conversations use version ${number} within a second. Ongoing conversations stay on the version they started with.`}
        </Text>
        {isBack && <Text>Your draft stays as it is, so you won’t lose any edits.</Text>}
        <ProblemText problem={deploy.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={isThere || !version}
            loading={deploy.isRunning}
            onClick={() => version && void deploy.run(version.id)}
          >
            {isBack ? `Roll back to version ${number}` : `Deploy version ${number}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
