import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { api, call, Dialog, ProblemText, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { liveOf, useBot, type VersionHead } from './bot-data.ts';

interface Props {
  version: VersionHead | undefined;
  onClose(): void;
  onDone(message: string): void;
}

/** Deploys or rolls back to a version, after confirming what visitors will see. */
export function Deploy({ version, onClose, onDone }: Props) {
  const { bot, environments, numbers } = useBot();
  const [environmentId, setEnvironmentId] = useState(liveOf(environments)?.id ?? '');
  const environmentName = environments.find(({ id }) => id === environmentId)?.name ?? '';
  const currentId = bot.deployments[environmentId];
  const currentNumber = currentId === undefined ? undefined : numbers[currentId];
  const number = version?.number ?? 0;
  const isDeployed = currentId === version?.id;
  const isRollback = currentNumber !== undefined && number < currentNumber;
  const deploy = useAction(async (versionId: string) => {
    await call(
      api.POST('/bots/{id}/deployments', { params: { path: { id: bot.id } }, body: { environmentId, versionId } }),
    );
    onDone(`Deployed version ${number} to ${environmentName}. New conversations use it.`);
    onClose();
  });
  return (
    <Dialog
      isOpen={version !== undefined}
      onClose={onClose}
      title={isRollback ? `Roll back to version ${number}` : `Deploy version ${number}`}
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
          {isDeployed
            ? `Version ${number} is already deployed to ${environmentName}.`
            : `${currentNumber === undefined ? `Nothing is deployed to ${environmentName} yet.` : `Version ${currentNumber} is deployed to ${environmentName} now.`} New conversations use version ${number} within a second. Ongoing conversations stay on the version they started with.`}
        </Text>
        {isRollback && <Text>Your draft stays as it is, so you won’t lose any edits.</Text>}
        <ProblemText problem={deploy.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={isDeployed || !version}
            loading={deploy.isRunning}
            onClick={() => version && void deploy.run(version.id)}
          >
            {isRollback ? `Roll back to version ${number}` : `Deploy version ${number}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
