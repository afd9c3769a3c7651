import { useAgents, useTeams } from './choices.ts';

/** Who can take over. */
export function useColleagues() {
  const [agents, teams] = [useAgents(), useTeams()];
  return { agents: agents ?? [], teams: teams ?? [], isLoaded: agents !== undefined && teams !== undefined };
}
