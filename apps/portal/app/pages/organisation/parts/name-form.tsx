import { Button, Group, Stack, TextInput } from '@mantine/core';
import { Dialog, field, type Problem, ProblemText } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';

/** What is created or, if it has an ID, renamed. */
export interface NameTarget {
  kind: 'workspace' | 'environment';
  id?: string;
  name?: string;
  workspaceId?: string;
}

interface Props {
  target: NameTarget | undefined;
  save: { run(name: string): Promise<unknown>; isRunning: boolean; problem: Problem | undefined };
  onClose(): void;
}

export function NameForm({ target, save, onClose }: Props) {
  const actionLabel = target?.id ? 'Rename' : 'Create';
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = field(event.currentTarget, 'name').trim();
    if (await save.run(name)) onClose();
  };
  return (
    <Dialog isOpen={target !== undefined} onClose={onClose} title={`${actionLabel} ${target?.kind ?? ''}`}>
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <TextInput
            name="name"
            label="Name"
            description={target?.id ? 'IDs and keys stay the same.' : undefined}
            defaultValue={target?.name ?? ''}
            maxLength={80}
            required
            data-autofocus
            autoComplete="off"
          />
          <ProblemText problem={save.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isRunning}>
              {actionLabel} {target?.kind}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
