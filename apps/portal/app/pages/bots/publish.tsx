import { Alert, Button, Group, List, Select, Stack, Text, Textarea } from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconRocket } from '@tabler/icons-react';
import { useRef, useState, type FormEvent } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { liveOf, type BotData } from './bot-data.ts';

interface Props {
  data: BotData;
  isUnsaved: boolean;
  onDone(message: string): void;
}

/** Publishes the draft as a version and deploys it. Shown while the draft differs from the newest version. */
export function Publish({ data, isUnsaved, onDone }: Props) {
  const { bot, environments, newest, changed } = data;
  const [isOpen, setOpen] = useState(false);
  const [environmentId, setEnvironmentId] = useState(liveOf(environments)?.id ?? '');
  // Published but not deployed yet. A retry after an error must not publish a second version.
  const createdVersion = useRef<{ id: string; number: number | null }>(undefined);
  const id = bot.id;
  const environmentName = environments.find((one) => one.id === environmentId)?.name ?? '';
  const publish = useAction(async (notes: string) => {
    const path = { params: { path: { id } } };
    const version =
      createdVersion.current ?? (await call(api.POST('/bots/{id}/versions', { ...path, body: { notes } }))).version;
    createdVersion.current = version;
    const { id: versionId, number } = version;
    await call(api.POST('/bots/{id}/deployments', { ...path, body: { environmentId, versionId } }));
    createdVersion.current = undefined;
    setOpen(false);
    onDone(`Published version ${number} to ${environmentName}. New conversations use it.`);
  });
  const close = () => {
    createdVersion.current = undefined; // the draft may change before the next publish
    setOpen(false);
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void publish.run(trimmedField(new FormData(event.currentTarget), 'notes'));
  };
  const reason =
    denialReason(useMe(), 'bot.manage') ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  if (changed.length === 0 && !isOpen) return null;
  return (
    <>
      <WithReason reason={reason}>
        <Button
          leftSection={<IconRocket size={16} aria-hidden />}
          disabled={reason !== undefined}
          onClick={() => setOpen(true)}
        >
          Publish…
        </Button>
      </WithReason>
      <Dialog isOpen={isOpen} onClose={close} title={`Publish ${bot.name}`}>
        <form onSubmit={send}>
          <Stack>
            {isUnsaved && (
              <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />}>
                You have unsaved changes that won’t be published. To include them, save the draft first.
              </Alert>
            )}
            <div>
              <Text>
                {newest ? `Changed since version ${newest.number}:` : 'This is the first version. It includes:'}
              </Text>
              <List size="sm">
                {changed.slice(0, 8).map((name) => (
                  <List.Item key={name}>{name}</List.Item>
                ))}
                {changed.length > 8 && <List.Item>and {changed.length - 8} more</List.Item>}
              </List>
            </div>
            <Select
              label="Environment"
              data={environments.map(({ id: value, name }) => ({ value, label: name }))}
              value={environmentId}
              onChange={(value) => setEnvironmentId(value ?? '')}
              allowDeselect={false}
            />
            <Textarea
              name="notes"
              label="Release notes (optional)"
              description="Your team sees these in the version list."
              maxLength={2000}
              autosize
              minRows={2}
              data-autofocus
            />
            <Text>
              New conversations in {environmentName} use this version within a second. Ongoing conversations stay on the
              version they started with. You can roll back under Versions at any time.
            </Text>
            <ProblemText problem={publish.problem} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={publish.isRunning}>
                Publish to {environmentName}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
