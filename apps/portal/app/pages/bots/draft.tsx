import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { api, call, Dialog, ProblemText, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconAlertTriangle, IconCheck, IconPencil } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useBlocker, useRevalidator } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { whyNot } from '../../parts/rights.ts';
import { Changes } from './changes.tsx';
import { changeOf, differences, isSame } from './differences.ts';
import { useBot, useFrame, type Draft } from './shape.ts';

/**
 * The draft while somebody edits it: what they began with, what they have now, and what others wrote meanwhile. Only what
 * they changed is sent, so that saving over a colleague takes back no more than both have touched.
 */
export function useDraft() {
  const { bot } = useBot();
  const { setUnsaved } = useFrame();
  const { revalidate } = useRevalidator();
  const [base, setBase] = useState({ revision: bot.revision, draft: bot.draft });
  const [mine, setMine] = useState(bot.draft);
  const quickReplies = mine.quickReplies.filter((reply) => reply.trim()); // a row left empty is not meant
  const change = changeOf<Draft>(base.draft, { ...mine, quickReplies });
  const isChanged = Object.keys(change).length > 0;
  const isOvertaken = bot.revision > base.revision;

  const take = () => {
    setBase({ revision: bot.revision, draft: bot.draft });
    setMine(bot.draft);
  };
  useEffect(() => {
    if (isOvertaken && !isChanged) take();
  });
  useEffect(() => {
    setUnsaved(isChanged);
    return () => setUnsaved(false);
  }, [isChanged, setUnsaved]);

  const saving = useAction(async (revision: number) => {
    const sent = mine;
    const { bot: saved } = await call(
      api.PATCH('/bots/{id}/draft', { params: { path: { id: bot.id } }, body: { revision, draft: change } }),
    ).catch(async (error: unknown) => {
      if ((error as { reason?: string }).reason === 'draft_changed') await revalidate();
      throw error;
    });
    setBase({ revision: saved.revision, draft: saved.draft });
    setMine((now) => (isSame(now, sent) ? saved.draft : now)); // what was typed while it was saved stays
    return saved;
  });
  return {
    mine,
    set: (part: Partial<Draft>) => setMine((now) => ({ ...now, ...part })),
    isChanged,
    /** Of the draft as it is saved: the preview is loaded anew with each. */
    revision: base.revision,
    isConflict: isChanged && isOvertaken,
    theirs: differences(base.draft, bot.draft),
    both: differences(base.draft, mine).filter(({ path }) =>
      differences(base.draft, bot.draft).some((other) => other.path === path),
    ),
    // What was refused before is no more the question.
    take: () => {
      saving.clear();
      take();
    },
    discard: () => {
      saving.clear();
      setMine(base.draft);
    },
    save: () => saving.run(base.revision),
    saveOver: () => saving.run(bot.revision),
    saving,
  };
}
export type Drafting = ReturnType<typeof useDraft>;

/** Below what is edited: whether it is saved, and the way to save it. Leaving with unsaved work is asked about. */
export function SaveBar({ drafting }: { drafting: Drafting }) {
  const { isChanged, isConflict, saving, save, discard } = drafting;
  const { bot } = useBot();
  const reason =
    whyNot(useMe(), 'bot.manage') ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  const saveNow = () => {
    if (isChanged && !isConflict && !reason) void save();
  };
  useHotkeys([['mod+S', saveNow]], []);
  const isRefused = saving.problem && !(isConflict && saving.problem.reason === 'draft_changed');
  return (
    <>
      {isConflict && <Conflict drafting={drafting} />}
      <Group className="save" justify="space-between" gap="xs" {...(isChanged && { 'data-changed': true })}>
        {isRefused && (
          <Box w="100%">
            <ProblemText problem={saving.problem} />
          </Box>
        )}
        <Group gap={6} role="status">
          {isChanged ? <IconPencil size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />}
          <Text>{isChanged ? 'Unsaved changes' : 'Draft saved'}</Text>
        </Group>
        <Group gap="xs">
          {isChanged && (
            <Button variant="default" onClick={discard} disabled={saving.isRunning}>
              Discard changes
            </Button>
          )}
          <WithReason reason={reason}>
            <Button
              onClick={saveNow}
              disabled={!isChanged || isConflict || reason !== undefined}
              loading={saving.isRunning}
            >
              Save draft
            </Button>
          </WithReason>
        </Group>
      </Group>
      <LeaveGuard drafting={drafting} />
    </>
  );
}

function Conflict({ drafting: { theirs, both, take, saveOver, saving } }: { drafting: Drafting }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []); // it may be out of sight
  return (
    <Alert
      ref={place}
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
          {both.length > 0
            ? 'You both edited the same fields. Saving yours replaces theirs in those fields and keeps their other changes.'
            : 'You edited different fields. Saving yours keeps their changes.'}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={take}>
            Use theirs
          </Button>
          <Button onClick={() => void saveOver()} loading={saving.isRunning}>
            Save mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

interface Leaving {
  isChanged: boolean;
  /** It cannot be saved from here. */
  isConflict: boolean;
  save(): Promise<unknown>;
  saving: { isRunning: boolean };
}

export function LeaveGuard({ drafting: { isChanged, isConflict, save, saving } }: { drafting: Leaving }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isChanged && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
  const isAsked = blocker.state === 'blocked';
  const saveAndLeave = async () => {
    if (await save()) blocker.proceed?.();
    else blocker.reset?.();
  };
  return (
    <Dialog isOpen={isAsked} onClose={() => blocker.reset?.()} title="Leave without saving?" size="lg">
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
