import { ActionIcon, Button, Code, Group, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, Dialog, Empty, field, ProblemText, toast, useAction } from '@parley/portal-kit/ui';
import { IconTrash } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { variableNames } from './saved-reply-text.ts';
import classes from './conversations.module.css';

interface Props {
  isOpen: boolean;
  onClose(): void;
  savedReplies: Schemas['SavedReply'][];
  /** What is in the composer, to be saved. */
  text: string;
  onInsert(id: string): void;
}

/** All saved replies: insert, add, delete. */
export function SavedReplies({ isOpen, onClose, savedReplies, text, onInsert }: Props) {
  const [isAdding, setAdding] = useState(false);
  const save = useAction(async (name: string, content: string) => {
    await call(api.POST('/saved-replies', { body: { name, text: content } }));
    setAdding(false);
    toast({ message: `Saved “${name}”. Type / to insert it.` });
  });
  const remove = useAction((id: string) => call(api.DELETE('/saved-replies/{id}', { params: { path: { id } } })));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation(); // the dialog is inside the composer's form
    void save.run(field(event.currentTarget, 'name').trim(), field(event.currentTarget, 'text').trim());
  };
  return (
    <Dialog title="Saved replies" isOpen={isOpen} onClose={onClose} size="lg">
      {isAdding ? (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              name="name"
              label="Name"
              description="What you type after /."
              required
              maxLength={60}
              data-autofocus
            />
            <Textarea name="text" label="Text" defaultValue={text} required autosize minRows={4} maxLength={4_000} />
            <Text size="xs" c="dimmed">
              Variables are filled in when you insert it:{' '}
              {variableNames.map((name) => (
                <Code key={name} mr={4}>{`{{${name}}}`}</Code>
              ))}
              With a fallback: <Code>{'{{visitor.name|there}}'}</Code>
            </Text>
            <ProblemText problem={save.problem} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAdding(false)}>
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
            {savedReplies.map(({ id, name, text: content }) => (
              <li key={id}>
                <UnstyledButton onClick={() => onInsert(id)} className={classes['reply'] ?? ''}>
                  <Text fw={600}>{name}</Text>
                  <Text size="sm" c="dimmed" lineClamp={2}>
                    {content}
                  </Text>
                </UnstyledButton>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete ${name}`}
                  onClick={() => void remove.run(id)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
          <ProblemText problem={remove.problem} />
          <Group justify="flex-end" mt="md">
            <Button onClick={() => setAdding(true)}>New saved reply</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}
