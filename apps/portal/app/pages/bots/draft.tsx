import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { api, call, Dialog, SaveBar, useAction } from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useBlocker, useRevalidator } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Changes } from './changes.tsx';
import { changeOf, differences, isSame } from './differences.ts';
import { useBot, useBotOutlet, type Draft } from './bot-data.ts';

/**
 * State of the draft editor: the revision editing started from, the local draft, and changes by others. Only changed
 * fields are sent, so that overwriting a colleague replaces only the fields both edited.
 */
export function useDraft() {
  const { bot } = useBot();
  const { setUnsaved } = useBotOutlet();
  const { revalidate } = useRevalidator();
  const [base, setBase] = useState({ revision: bot.revision, draft: bot.draft });
  const [draft, setDraft] = useState(bot.draft);
  const quickReplies = draft.quickReplies.filter((reply) => reply.trim()); // empty rows are ignored
  const change = changeOf<Draft>(base.draft, { ...draft, quickReplies });
  const isChanged = Object.keys(change).length > 0;
  const isOutdated = bot.revision > base.revision;

  const takeTheirs = () => {
    setBase({ revision: bot.revision, draft: bot.draft });
    setDraft(bot.draft);
  };
  if (isOutdated && !isChanged) takeTheirs();
  useEffect(() => {
    setUnsaved(isChanged);
    return () => setUnsaved(false);
  }, [isChanged, setUnsaved]);

  const saving = useAction(async (revision: number) => {
    const sent = draft;
    const { bot: saved } = await call(
      api.PATCH('/bots/{id}/draft', { params: { path: { id: bot.id } }, body: { revision, draft: change } }),
    ).catch(async (error: unknown) => {
      if ((error as { reason?: string }).reason === 'draft_changed') await revalidate();
      throw error;
    });
    setBase({ revision: saved.revision, draft: saved.draft });
    setDraft((current) => (isSame(current, sent) ? saved.draft : current)); // keep edits made while saving
    return saved;
  });
  return {
    draft,
    set: (patch: Partial<Draft>) => setDraft((current) => ({ ...current, ...patch })),
    isChanged,
    /** The saved revision. A new one reloads the preview. */
    revision: base.revision,
    isConflict: isChanged && isOutdated,
    theirs: differences(base.draft, bot.draft),
    conflicting: differences(base.draft, draft).filter(({ path }) =>
      differences(base.draft, bot.draft).some((other) => other.path === path),
    ),
    // The previous error no longer applies.
    takeTheirs: () => {
      saving.clear();
      takeTheirs();
    },
    discard: () => {
      saving.clear();
      setDraft(base.draft);
    },
    save: () => saving.run(base.revision),
    overwrite: () => saving.run(bot.revision),
    saving,
  };
}
export type DraftEditor = ReturnType<typeof useDraft>;

/** Save state and save button. Leaving with unsaved changes needs confirmation. */
export function DraftSaveBar({ draftEditor }: { draftEditor: DraftEditor }) {
  const { isChanged, isConflict, saving, save, discard } = draftEditor;
  const { bot } = useBot();
  const reason =
    denialReason(useMe(), 'bot.manage') ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  const saveNow = () => {
    if (isChanged && !isConflict && !reason) void save();
  };
  useHotkeys([['mod+S', saveNow]], []);
  const isRefused = saving.problem && !(isConflict && saving.problem.reason === 'draft_changed');
  return (
    <>
      {isConflict && <Conflict draftEditor={draftEditor} />}
      {!isChanged && !reason && (
        <Group gap={6} role="status" c="dimmed">
          <IconCheck size={16} aria-hidden />
          <Text>Draft saved</Text>
        </Group>
      )}
      <SaveBar
        isDirty={isChanged}
        onSave={saveNow}
        onDiscard={discard}
        isSaving={saving.isRunning}
        problem={isRefused ? saving.problem : undefined}
        saveLabel="Save draft"
        reason={reason}
        isBlocked={isConflict}
      />
      <LeaveGuard draftEditor={draftEditor} />
    </>
  );
}

function Conflict({
  draftEditor: { theirs, conflicting, takeTheirs, overwrite, saving },
}: {
  draftEditor: DraftEditor;
}) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []); // it may be outside the viewport
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      color="orange"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title="Someone else changed this draft"
      role="alert"
    >
      <Stack gap="sm">
        <Text>
          Here’s what they changed since you started editing. Your own changes are still on this page, unsaved.
        </Text>
        <Changes changes={theirs} />
        <Text>
          {conflicting.length > 0
            ? 'You both edited the same fields. Saving yours replaces theirs in those fields and keeps their other changes.'
            : 'You edited different fields. Saving yours keeps their changes.'}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={takeTheirs}>
            Use theirs
          </Button>
          <Button onClick={() => void overwrite()} loading={saving.isRunning}>
            Save mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

interface LeaveGuardInput {
  isChanged: boolean;
  /** Saving is blocked until the conflict is resolved. */
  isConflict: boolean;
  save(): Promise<unknown>;
  saving: { isRunning: boolean };
}

export function LeaveGuard({ draftEditor: { isChanged, isConflict, save, saving } }: { draftEditor: LeaveGuardInput }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isChanged && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isChanged) return undefined;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', onBeforeUnload);
    return () => removeEventListener('beforeunload', onBeforeUnload);
  }, [isChanged]);
  const isBlocked = blocker.state === 'blocked';
  const saveAndLeave = async () => {
    if (await save()) blocker.proceed?.();
    else blocker.reset?.();
  };
  return (
    <Dialog isOpen={isBlocked} onClose={() => blocker.reset?.()} title="Leave without saving?" size="lg">
      <Stack>
        <Text>If you leave now, you’ll lose your changes on this page.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave without saving
          </Button>
          {!isConflict && (
            <Button onClick={() => void saveAndLeave()} loading={saving.isRunning}>
              Save and leave
            </Button>
          )}
          <Button variant={isConflict ? 'filled' : 'default'} onClick={() => blocker.reset?.()} data-autofocus>
            Keep editing
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
