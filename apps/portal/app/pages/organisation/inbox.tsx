import { Select, Stack, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, SaveBar, useAction } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useLoaderData, useNavigate, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { Assignment } from './parts/assignment.tsx';
import { BusinessHours } from './parts/business-hours.tsx';
import { Teams } from './parts/teams.tsx';

export const meta = () => [{ title: 'Inbox settings · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const workspaces = read(await service.GET('/workspaces', { params: { query: { limit: 100 } } }), request).data;
  const wanted = new URL(request.url).searchParams.get('workspace');
  // Oldest first: the workspace that every organisation starts with.
  const id = (workspaces.find((workspace) => workspace.id === wanted) ?? workspaces.at(-1))?.id ?? '';
  const params = { params: { path: { id } } };
  const [hours, assignment, teams, agents] = await Promise.all([
    service.GET('/workspaces/{id}/business-hours', params),
    service.GET('/workspaces/{id}/assignment', params),
    service.GET('/teams', { params: { query: { limit: 100 } } }),
    service.GET('/agents'),
  ]);
  return {
    id,
    workspaces: workspaces.map(({ id: value, name: label }) => ({ value, label })),
    hours: read(hours, request).businessHours,
    assignment: read(assignment, request).assignment,
    teams: read(teams, request).data,
    agents: (agents.data?.data ?? []).map(({ userId, name }) => ({ userId, name })), // only for those who can assign
    timeZones: [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])],
  };
}

export default function Inbox() {
  const { id } = useLoaderData<typeof loader>();
  return <Settings key={id} />;
}

interface Draft {
  hours: Schemas['BusinessHours'];
  assignment: Schemas['AssignmentSettings'];
}
const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function Settings() {
  const { id, workspaces, teams, agents, timeZones, ...saved } = useLoaderData<typeof loader>();
  const reason = denialReason(useMe(), 'tenant.manage');
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(saved);
  const isDirty = !isEqual(draft.hours, saved.hours) || !isEqual(draft.assignment, saved.assignment);
  const save = useAction(
    async ({ hours, assignment }: Draft) => {
      const params = { path: { id } };
      if (!isEqual(hours, saved.hours)) await call(api.PUT('/workspaces/{id}/business-hours', { params, body: hours }));
      if (!isEqual(assignment, saved.assignment))
        await call(api.PUT('/workspaces/{id}/assignment', { params, body: assignment }));
    },
    { success: 'Inbox settings saved' },
  );
  const discard = () => {
    setDraft(saved);
    save.clear();
  };
  return (
    <Stack gap="lg">
      {reason && <Text>{reason}</Text>}
      {workspaces.length > 1 && (
        <Select
          label="Workspace"
          data={workspaces}
          value={id}
          allowDeselect={false}
          onChange={(value) => void navigate(`?workspace=${value ?? ''}`)}
          w={320}
          maw="100%"
        />
      )}
      <BusinessHours
        hours={draft.hours}
        timeZones={timeZones}
        isDisabled={reason !== undefined}
        onChange={(hours) => setDraft({ ...draft, hours })}
      />
      <Assignment
        assignment={draft.assignment}
        teams={teams}
        agents={agents}
        isDisabled={reason !== undefined}
        onChange={(assignment) => setDraft({ ...draft, assignment })}
      />
      <Teams teams={teams} agents={agents} reason={reason} />
      <SaveBar
        isDirty={isDirty}
        onSave={() => void save.run(draft)}
        onDiscard={discard}
        isSaving={save.isRunning}
        isBlocked={draft.hours.weekly?.length === 0}
        problem={save.problem}
      />
    </Stack>
  );
}
