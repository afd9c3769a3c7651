import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { api, call, Dialog, field, ProblemText, toast, useAction, useNow } from '@parley/portal-kit/ui';
import { IconBell, IconBookmark, IconTrash } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { askToNotify, canAskToNotify } from '../../parts/inbox/attention.ts';
import { useInbox } from '../../parts/inbox/inbox.tsx';
import { turnOnDesktopNotifications } from '../../parts/inbox/notification-settings.ts';
import { useMe } from '../../parts/me.ts';
import { hasPermission } from '../../parts/rights.ts';
import { refreshSavedViews, useSavedViews } from './choices.ts';
import { filterNames, views } from './views.ts';
import classes from './conversations.module.css';

/** The views, those that were saved, and the question about notifications. */
export function InboxHeader() {
  const { counts } = useInbox();
  const [search] = useSearchParams();
  const current = search.get('view') ?? 'all';
  return (
    <>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text fz={20} fw={650} aria-hidden>
          Inbox
        </Text>
        <Group gap={4} wrap="nowrap">
          <AskToNotify />
          <SavedViews />
        </Group>
      </Group>
      <nav className={classes['views']} aria-label="Views">
        {views.map(({ id, label, count }) => {
          const total = counts && count?.(counts);
          return (
            <Link
              key={id}
              to={id === 'all' ? '/conversations' : `/conversations?view=${id}`}
              className={classes['view'] ?? ''}
              {...(current === id && { 'aria-current': 'page' as const })}
            >
              {label}
              {total !== undefined && total > 0 && (
                <span className={classes['viewCount']}>{total > 99 ? '99+' : total}</span>
              )}
            </Link>
          );
        })}
      </nav>
    </>
  );
}

/** Asked here, where it is clear what for. */
function AskToNotify() {
  const isHydrated = useNow(3_600_000) !== undefined;
  const isAgent = hasPermission(useMe(), 'conversation.reply');
  const [isDone, setDone] = useState(false);
  const ask = useAction(
    async () => {
      if (await askToNotify()) {
        await turnOnDesktopNotifications();
        toast({ message: 'We’ll notify you when a visitor is waiting and this tab is in the background.' });
      }
      setDone(true);
    },
    { isQuiet: true },
  );
  // Until it is saved, or if that failed, the button stays, although the browser has its answer.
  const isOffered = ask.isRunning || ask.problem !== undefined || canAskToNotify();
  if (!isHydrated || !isAgent || isDone || !isOffered) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconBell size={14} aria-hidden />}
        loading={ask.isRunning}
        onClick={() => void ask.run()}
      >
        Notify me
      </Button>
      <ProblemText problem={ask.problem} />
    </>
  );
}

/** Only the views change. */
const isQuiet = { isQuiet: true };

function SavedViews() {
  const savedViews = useSavedViews() ?? [];
  const me = useMe();
  const [search] = useSearchParams();
  const [isNaming, setNaming] = useState(false);
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search.get(name);
      return value ? [[name, value]] : [];
    }),
  );
  const save = useAction(async (name: string, isShared: boolean) => {
    await call(api.POST('/inbox/views', { body: { name, filters, isShared } }));
    setNaming(false);
    await refreshSavedViews();
    toast({ message: `Saved the view “${name}”.` });
  }, isQuiet);
  const remove = useAction(async (id: string) => {
    await call(api.DELETE('/inbox/views/{id}', { params: { path: { id } } }));
    await refreshSavedViews();
  }, isQuiet);
  const canSave = hasPermission(me, 'conversation.reply');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const shared = new FormData(event.currentTarget).get('shared') === 'on';
    void save.run(field(event.currentTarget, 'name').trim(), shared);
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label="Saved views">
            <IconBookmark size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Saved views</Menu.Label>
          {savedViews.length === 0 && (
            <Text size="sm" c="dimmed" px="sm" py={4} maw={240}>
              Filter the list, then save it here to come back to it.
            </Text>
          )}
          {savedViews.map(({ id, name, filters: saved, isShared }) => (
            <Group key={id} wrap="nowrap" gap={0}>
              <Menu.Item component={Link} to={`/conversations?${new URLSearchParams(saved).toString()}`}>
                {name}
                {isShared && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    Shared
                  </Text>
                )}
              </Menu.Item>
              {canSave && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the view ${name}`}
                  onClick={() => void remove.run(id)}
                >
                  <IconTrash size={14} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          ))}
          <ProblemText problem={remove.problem} />
          {canSave && (
            <>
              <Menu.Divider />
              <Menu.Item disabled={Object.keys(filters).length === 0} onClick={() => setNaming(true)}>
                Save this view
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Dialog title="Save this view" isOpen={isNaming} onClose={() => setNaming(false)}>
        <form onSubmit={submit}>
          <TextInput name="name" label="Name" required maxLength={60} data-autofocus mb="sm" />
          <label className={classes['shared']}>
            <input type="checkbox" name="shared" /> Share with the team
          </label>
          <ProblemText problem={save.problem} />
          <Group justify="flex-end" mt="md">
            <Button type="submit" loading={save.isRunning}>
              Save view
            </Button>
          </Group>
        </form>
      </Dialog>
    </>
  );
}
