import { ActionIcon, Alert, Button, Group, Menu, Progress, Switch, Text } from '@mantine/core';
import {
  Ago,
  api,
  call,
  ConfirmByName,
  ProblemText,
  RowLink,
  Status,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import type { Source } from './bot-data.ts';
import { hasSchedule, kindLabels, progressOf, resultOf, scheduleChoices, sizeOf, stateOf } from './source-labels.ts';

/** Progress, result and errors of the last sync. The same in the list and on its own page. */
export function SyncProgress({ source }: { source: Source }) {
  const { sync, kind } = source;
  const isSyncing = sync.state === 'syncing' || sync.state === 'waiting';
  return (
    <>
      {sync.state === 'syncing' && (
        <div role="status">
          <Text size="sm">{progressOf(source)} You can leave this page.</Text>
          <Progress
            value={sync.total > 0 ? (sync.done / sync.total) * 100 : 100}
            animated={sync.total === 0}
            aria-label={`Syncing ${source.name}`}
          />
        </div>
      )}
      {sync.state === 'waiting' && (
        <Text size="sm" c="dimmed">
          {kind === 'file' && !sync.lastSyncedAt
            ? 'If the upload was interrupted, open this source and upload the file again.'
            : 'Sync starts shortly. Until then, the bot uses the previously synced content.'}
        </Text>
      )}
      {!isSyncing && sync.error && (
        <Alert
          color={sync.state === 'failed' ? 'red' : 'orange'}
          icon={<IconAlertTriangle size={18} aria-hidden />}
          py="xs"
        >
          {sync.error.message}
        </Alert>
      )}
      {sync.isLimited && (
        <Text size="sm">
          More than 2,000 pages were found, which is the limit of a source. The rest is left out. To choose which, add
          paths to include or exclude.
        </Text>
      )}
      {!isSyncing && (
        <Text size="sm" c="dimmed">
          {resultOf(source)}, {sizeOf(source.bytes)}. Last synced <Ago at={sync.lastSyncedAt ?? source.createdAt} />
          {sync.nextSyncAt && (
            <>
              , next sync <Ago at={sync.nextSyncAt} />
            </>
          )}
          .
        </Text>
      )}
    </>
  );
}

/** `onDeleted` is for the source's own page, which navigates away instead of reloading. */
export function useSource(id: string, onDeleted?: () => void | Promise<void>) {
  const path = { params: { path: { id } } };
  return {
    sync: useAction(() => call(api.POST('/knowledge-sources/{id}/sync', path))),
    change: useAction((body: { isEnabled?: boolean; schedule?: Source['schedule'] }) =>
      call(api.PATCH('/knowledge-sources/{id}', { ...path, body })),
    ),
    remove: useAction(
      async () => {
        const deleted = await call(api.DELETE('/knowledge-sources/{id}', path));
        await onDeleted?.();
        return deleted;
      },
      { isQuiet: onDeleted !== undefined },
    ),
  };
}

export const DeletionEffects = ({ name }: { name: string }) => (
  <>
    “{name}” and all its synced content will be deleted. The bot stops using it immediately, even in published versions.
    This can’t be undone.
  </>
);

export function SourceRow({ source, to }: { source: Source; to: string }) {
  const { sync, change, remove } = useSource(source.id);
  const [isDeleting, setDeleting] = useState(false);
  const reason = denialReason(useMe(), 'knowledge.manage', 'knowledge');
  const state = stateOf(source);
  const isSyncing = source.sync.state === 'syncing' || source.sync.state === 'waiting';
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text fw={600}>
            <RowLink to={to}>{source.name}</RowLink>
          </Text>
          <Text size="sm" c="dimmed">
            {kindLabels[source.kind]}
            {source.schedule !== 'none' &&
              `, ${scheduleChoices.find(({ value }) => value === source.schedule)?.label.toLowerCase()}`}
          </Text>
          <Status tone={state.tone}>{state.label}</Status>
        </Group>
        <WithReason reason={reason}>
          <Group gap="xs">
            <Switch
              label="Enabled"
              aria-label={`Enabled: ${source.name}`}
              checked={source.isEnabled}
              disabled={reason !== undefined || change.isRunning}
              onChange={(event) => void change.run({ isEnabled: event.currentTarget.checked })}
            />
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              disabled={reason !== undefined || isSyncing}
              loading={sync.isRunning}
              onClick={() => void sync.run()}
              aria-label={`Re-sync ${source.name}`}
            >
              Re-sync
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`More options for ${source.name}`}
                  disabled={reason !== undefined}
                >
                  <IconDots size={16} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {hasSchedule(source.kind) && (
                  <>
                    <Menu.Label>Sync schedule</Menu.Label>
                    {scheduleChoices.map(({ value, label }) => (
                      <Menu.Item
                        key={value}
                        disabled={value === source.schedule}
                        onClick={() => void change.run({ schedule: value as Source['schedule'] })}
                      >
                        {label}
                      </Menu.Item>
                    ))}
                    <Menu.Divider />
                  </>
                )}
                <Menu.Item
                  color="red"
                  leftSection={<IconTrash size={16} aria-hidden />}
                  onClick={() => setDeleting(true)}
                >
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        </WithReason>
      </Group>
      <SyncProgress source={source} />
      <ProblemText problem={sync.problem ?? change.problem} />
      <ConfirmByName
        isOpen={isDeleting}
        title="Delete this source?"
        name={source.name}
        confirmLabel="Delete source"
        isRunning={remove.isRunning}
        problem={remove.problem}
        onConfirm={() => void remove.run().then((deleted) => deleted && setDeleting(false))}
        onClose={() => setDeleting(false)}
      >
        <DeletionEffects name={source.name} />
      </ConfirmByName>
    </li>
  );
}
