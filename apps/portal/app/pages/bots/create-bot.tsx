import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { api, call, Dialog, ProblemText, trimmedField, useAction } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { originErrorOf, originOf } from './origins.ts';

interface Props {
  isOpen: boolean;
  workspaces: { id: string; name: string }[];
  onClose(): void;
}

export function CreateBot({ isOpen, workspaces, onClose }: Props) {
  const navigate = useNavigate();
  const [originError, setOriginError] = useState<string>();
  const [workspaceId, setWorkspaceId] = useState(workspaces[0]?.id ?? '');
  const create = useAction(
    async (name: string, origin: string) => {
      const { bot } = await call(
        api.POST('/bots', {
          body: {
            name,
            ...(workspaceId && { workspaceId }),
            allowedOrigins: origin ? [origin] : [],
            draft: { title: name.slice(0, 60) },
          },
        }),
      );
      await navigate(`/bots/${bot.id}`);
    },
    { isQuiet: true },
  );
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const origin = originOf(trimmedField(form, 'site'));
    const invalid = origin ? originErrorOf(origin) : undefined;
    setOriginError(invalid);
    if (!invalid) void create.run(trimmedField(form, 'name'), origin);
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create bot">
      <form onSubmit={send}>
        <Stack>
          <TextInput
            name="name"
            label="Name"
            description="For your team. Visitors see the title, which you can change later."
            required
            maxLength={80}
            autoComplete="off"
            data-autofocus
          />
          <TextInput
            name="site"
            label="Website (optional)"
            description="Where the bot will run, for example https://example.com. You can add more later."
            inputMode="url"
            error={originError}
            autoComplete="off"
          />
          {workspaces.length > 1 && (
            <Select
              label="Workspace"
              data={workspaces.map(({ id: value, name: label }) => ({ value, label }))}
              value={workspaceId}
              onChange={(value) => setWorkspaceId(value ?? '')}
              allowDeselect={false}
            />
          )}
          <ProblemText problem={create.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning}>
              Create bot
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
