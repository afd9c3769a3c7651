import { ActionIcon, Button, Code, Group, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Dialog, Empty, field, ProblemText, toast, useAction } from '@parley/portal-kit/ui';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { refreshSavedReplies } from './choices.ts';
import { variableNames } from './saved-reply-text.ts';
import classes from './conversations.module.css';

type SavedReply = Schemas['SavedReply'];

interface Props {
  isOpen: boolean;
  onClose(): void;
  savedReplies: SavedReply[];
  /** What is in the composer, to be saved. */
  text: string;
  onInsert(id: string): void;
}

const quiet = { isQuiet: true };

/** All saved replies: insert, add, edit, delete. */
export function SavedReplies({ isOpen, onClose, savedReplies, text, onInsert }: Props) {
  /** A saved reply, or a new one. */
  const [edited, setEdited] = useState<Partial<SavedReply>>();
  const save = useAction(async (name: string, content: string) => {
    const body = { name, text: content };
    await (edited?.id
      ? call(api.PATCH('/saved-replies/{id}', { params: { path: { id: edited.id } }, body }))
      : call(api.POST('/saved-replies', { body })));
    await refreshSavedReplies();
    setEdited(undefined);
    toast({ message: `Saved “${name}”. Type / to insert it.` });
  }, quiet);
  const remove = useAction(async (id: string) => {
    await call(api.DELETE('/saved-replies/{id}', { params: { path: { id } } }));
    await refreshSavedReplies();
  }, quiet);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation(); // the dialog is inside the composer's form
    void save.run(field(event.currentTarget, 'name').trim(), field(event.currentTarget, 'text').trim());
  };
  return (
    <Dialog title="Saved replies" isOpen={isOpen} onClose={onClose} size="lg">
      {edited ? (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              name="name"
              label="Name"
              description="What you type after /."
              required
              maxLength={60}
              defaultValue={edited.name}
              data-autofocus
            />
            <Textarea
              name="text"
              label="Text"
              defaultValue={edited.text}
              required
              autosize
              minRows={4}
              maxLength={4_000}
            />
            <Text size="xs" c="dimmed">
              Variables are filled in when you insert it:{' '}
              {variableNames.map((name) => (
                <Code key={name} mr={4}>{`{{${name}}}`}</Code>
              ))}
              With a fallback: <Code>{'{{visitor.name|there}}'}</Code>
            </Text>
            <ProblemText problem={save.problem} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setEdited(undefined)}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isRunning}>
                Save reply
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <>
          {savedReplies.length === 0 && (
            <Empty title="No saved replies yet" drawing="messages">
              Save what you write often, and insert it by typing / in a reply.
            </Empty>
          )}
          <ul className={classes['replies']}>
            {savedReplies.map((reply) => (
              <li key={reply.id}>
                <UnstyledButton onClick={() => onInsert(reply.id)} className={classes['reply'] ?? ''}>
                  <Text fw={600}>{reply.name}</Text>
                  <Text size="sm" c="dimmed" lineClamp={2}>
                    {reply.text}
                  </Text>
                </UnstyledButton>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Edit ${reply.name}`}
                  onClick={() => setEdited(reply)}
                >
                  <IconPencil size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete ${reply.name}`}
                  onClick={() => void remove.run(reply.id)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
          <ProblemText problem={remove.problem} />
          <Group justify="flex-end" mt="md">
            <Button onClick={() => setEdited({ text })}>New saved reply</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}
