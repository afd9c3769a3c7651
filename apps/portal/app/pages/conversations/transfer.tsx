import { Button, Group, NativeSelect, Textarea } from '@mantine/core';
import { api, call, Dialog, field, ProblemText, toast, useAction } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import type { Conversation } from './states.ts';
import { useColleagues } from './colleagues.ts';

interface Props {
  conversation: Conversation;
  isOpen: boolean;
  onClose(): void;
}

/** Gives the conversation to a colleague or a team, with what they should know. */
export function Transfer({ conversation: { id, assigneeId }, isOpen, onClose }: Props) {
  const { agents, teams } = useColleagues();
  const people = agents
    .filter(({ userId }) => userId !== assigneeId)
    .map(({ userId, name, status, openConversations }) => ({
      value: userId,
      label: `${name} (${status === 'available' ? 'available' : 'away'}, ${openConversations} open)`,
    }));
  const groups = teams.map((team) => ({ value: team.id, label: team.name }));
  const transfer = useAction(async (to: string, note: string) => {
    const isTeam = groups.some(({ value }) => value === to);
    const target = isTeam ? { teamId: to, assigneeId: null } : { assigneeId: to };
    const body = { ...target, ...(note && { note }) };
    await call(api.POST('/conversations/{id}/assign', { params: { path: { id } }, body }));
    onClose();
    const name = [
      ...agents.map(({ userId, name: label }) => [userId, label]),
      ...teams.map((team) => [team.id, team.name]),
    ];
    toast({ message: `Transferred to ${name.find(([value]) => value === to)?.[1] ?? 'a colleague'}.` });
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void transfer.run(field(event.currentTarget, 'to'), field(event.currentTarget, 'note').trim());
  };
  const isEmpty = people.length === 0 && groups.length === 0;
  return (
    <Dialog title="Transfer the conversation" isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit}>
        <NativeSelect
          name="to"
          label="To"
          required
          mb="sm"
          {...(isEmpty && { description: 'There is no one else who can reply. Invite an agent first.' })}
          data={[
            { group: 'Agents', items: people },
            { group: 'Teams', items: groups },
          ].filter(({ items }) => items.length > 0)}
        />
        <Textarea
          name="note"
          label="Note"
          description="Only visible to your team."
          autosize
          minRows={3}
          maxLength={8_000}
        />
        <ProblemText problem={transfer.problem} />
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={transfer.isRunning} disabled={isEmpty}>
            Transfer
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
