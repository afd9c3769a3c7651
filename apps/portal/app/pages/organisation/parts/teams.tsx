import { Button, Group, MultiSelect, Stack, Table, TextInput } from '@mantine/core';
import {
  api,
  call,
  Dialog,
  Empty,
  field,
  ProblemText,
  Rows,
  Section,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';

interface Team {
  id: string;
  name: string;
  memberIds: string[];
}
interface Props {
  teams: Team[];
  agents: { userId: string; name: string }[];
  reason: string | undefined;
}

export function Teams({ teams, agents, reason }: Props) {
  const [edited, setEdited] = useState<Partial<Team>>();
  const [deleted, setDeleted] = useState<Team>();
  const names = new Map(agents.map(({ userId, name }) => [userId, name]));
  const create = (
    <WithReason reason={reason}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={reason !== undefined}
        onClick={() => setEdited({})}
      >
        Create team
      </Button>
    </WithReason>
  );
  return (
    <Section
      title="Teams"
      description="Groups of agents that conversations can be assigned to."
      actions={teams.length > 0 && create}
    >
      {teams.length === 0 ? (
        <Empty title="No teams yet" action={create} drawing="people">
          Create one for agents who share work, such as billing or returns.
        </Empty>
      ) : (
        <Rows label="Teams table" columns={['Team', 'Members', 'Actions']} hasActions minWidth={480}>
          {teams.map((team) => (
            <Table.Tr key={team.id}>
              <Table.Td>{team.name}</Table.Td>
              <Table.Td>
                {team.memberIds.map((id) => names.get(id) ?? 'Member without access').join(', ') || 'No members'}
              </Table.Td>
              <Table.Td>
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <WithReason reason={reason}>
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={reason !== undefined}
                      aria-label={`Edit team ${team.name}`}
                      onClick={() => setEdited(team)}
                    >
                      Edit
                    </Button>
                  </WithReason>
                  <WithReason reason={reason}>
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={reason !== undefined}
                      aria-label={`Delete team ${team.name}`}
                      onClick={() => setDeleted(team)}
                    >
                      Delete
                    </Button>
                  </WithReason>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <Dialog
        isOpen={edited !== undefined}
        title={edited?.id ? 'Edit team' : 'Create team'}
        onClose={() => setEdited(undefined)}
      >
        {edited && <TeamForm team={edited} agents={agents} onClose={() => setEdited(undefined)} />}
      </Dialog>
      <Dialog isOpen={deleted !== undefined} title="Delete team" onClose={() => setDeleted(undefined)}>
        {deleted && <DeleteTeam team={deleted} onClose={() => setDeleted(undefined)} />}
      </Dialog>
    </Section>
  );
}

interface FormProps {
  team: Partial<Team>;
  agents: Props['agents'];
  onClose(): void;
}

function TeamForm({ team: { id, name = '', memberIds = [] }, agents, onClose }: FormProps) {
  const [members, setMembers] = useState(memberIds);
  const save = useAction((body: { name: string; memberIds: string[] }) =>
    id ? call(api.PATCH('/teams/{id}', { params: { path: { id } }, body })) : call(api.POST('/teams', { body })),
  );
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = { name: field(event.currentTarget, 'name').trim(), memberIds: members };
    if (await save.run(body)) onClose();
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <TextInput
          name="name"
          label="Name"
          defaultValue={name}
          maxLength={80}
          required
          data-autofocus
          autoComplete="off"
        />
        <MultiSelect
          label="Members"
          data={agents.map(({ userId, name: label }) => ({ value: userId, label }))}
          value={members}
          onChange={setMembers}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Remove all members' }}
          comboboxProps={{ zIndex: 500 }}
        />
        <ProblemText problem={save.problem} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isRunning}>
            {id ? 'Save team' : 'Create team'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteTeam({ team: { id, name }, onClose }: { team: Team; onClose(): void }) {
  const remove = useAction(() => call(api.DELETE('/teams/{id}', { params: { path: { id } } })));
  const confirm = async () => {
    if (await remove.run()) onClose();
  };
  return (
    <Stack>
      <span>{`Delete ${name}? Its open conversations stay in the inbox, without a team.`}</span>
      <ProblemText problem={remove.problem} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isRunning} onClick={() => void confirm()}>
          Delete team
        </Button>
      </Group>
    </Stack>
  );
}
