import { Group, NumberInput, Radio, Select, Stack } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Section } from '@parley/portal-kit/ui';

type Settings = Schemas['AssignmentSettings'];
type Target = NonNullable<Settings['escalation']>['to'];
interface Props {
  assignment: Settings;
  teams: { id: string; name: string }[];
  agents: { userId: string; name: string }[];
  isDisabled: boolean;
  onChange(assignment: Settings): void;
}

const limits = [1, 2, 5, 10, 15, 30, 60];
const minutesLabel = (minutes: number) => (minutes === 1 ? '1 minute' : `${minutes} minutes`);

const valueOf = (to: Target) => (to.type === 'team' ? to.teamId : to.type === 'member' ? to.userId : 'all');
const targetOf = (value: string): Target =>
  value.startsWith('team_')
    ? { type: 'team', teamId: value }
    : value.startsWith('usr_')
      ? { type: 'member', userId: value }
      : { type: 'all' };

export function Assignment({ assignment, teams, agents, isDisabled, onChange }: Props) {
  const { mode, maxOpen, teamId, escalation } = assignment;
  const change = (part: Partial<Settings>) => onChange({ ...assignment, ...part });
  const teamOptions = teams.map(({ id, name }) => ({ value: id, label: name }));
  const after = escalation?.afterMinutes;
  const times = after !== undefined && !limits.includes(after) ? [...limits, after] : limits;
  return (
    <Section title="Assignment" description="Who gets the conversations of visitors who ask for an agent.">
      <Radio.Group
        aria-label="How conversations are assigned"
        value={mode}
        onChange={(value) => change({ mode: value })}
      >
        <Stack gap="xs">
          <Radio
            value="manual"
            label="Manual"
            description="Agents choose from the waiting conversations."
            disabled={isDisabled}
          />
          <Radio
            value="round_robin"
            label="Round robin"
            description="Each conversation is assigned to the available agent who has gone longest without a new one."
            disabled={isDisabled}
          />
        </Stack>
      </Radio.Group>
      {mode === 'round_robin' && (
        <NumberInput
          label="Open conversations per agent"
          description="An agent with this many gets no more until one is closed."
          value={maxOpen}
          min={1}
          max={100}
          clampBehavior="strict"
          allowDecimal={false}
          disabled={isDisabled}
          onChange={(value) => typeof value === 'number' && change({ maxOpen: value })}
          w={320}
          maw="100%"
        />
      )}
      <Select
        label="Team"
        description="New conversations are assigned to this team."
        data={[{ value: '', label: 'No team' }, ...teamOptions]}
        value={teamId ?? ''}
        allowDeselect={false}
        disabled={isDisabled}
        onChange={(value) => change({ teamId: value || null })}
        w={320}
        maw="100%"
      />
      <Group gap="sm" align="flex-end">
        <Select
          label="Escalate if no one claims within"
          data={[
            { value: '', label: 'Never' },
            ...times.map((minutes) => ({ value: String(minutes), label: minutesLabel(minutes) })),
          ]}
          value={after === undefined ? '' : String(after)}
          allowDeselect={false}
          disabled={isDisabled}
          onChange={(value) =>
            change({
              escalation: value ? { afterMinutes: Number(value), to: escalation?.to ?? { type: 'all' } } : null,
            })
          }
          w={240}
        />
        {escalation && (
          <Select
            label="Escalate to"
            data={[
              { value: 'all', label: 'Everyone' },
              ...(teams.length > 0 ? [{ group: 'Teams', items: teamOptions }] : []),
              ...(agents.length > 0
                ? [{ group: 'Agents', items: agents.map(({ userId, name }) => ({ value: userId, label: name })) }]
                : []),
            ]}
            value={valueOf(escalation.to)}
            allowDeselect={false}
            searchable
            disabled={isDisabled}
            onChange={(value) => value && change({ escalation: { ...escalation, to: targetOf(value) } })}
            w={240}
          />
        )}
      </Group>
    </Section>
  );
}
