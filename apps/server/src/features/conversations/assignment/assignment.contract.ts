import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';

export const EscalationTarget = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('all') }).describe('Everyone: the conversation is unassigned.'),
  z.strictObject({ type: z.literal('team'), teamId: idOf('team') }),
  z.strictObject({ type: z.literal('member'), userId: idOf('user') }),
]);
export type EscalationTarget = z.infer<typeof EscalationTarget>;

export const AssignmentSettings = z
  .strictObject({
    mode: z
      .enum(['manual', 'round_robin'])
      .describe(
        '`manual`: agents choose from the waiting conversations. `round_robin`: each one is assigned to the available agent who has gone longest without a new one.',
      ),
    maxOpen: z
      .int()
      .min(1)
      .max(100)
      .describe('How many open conversations an agent may have before the next one is assigned to someone else.'),
    teamId: idOf('team').nullable().describe('The team that new conversations are assigned to.'),
    escalation: z
      .strictObject({ afterMinutes: z.int().min(1).max(1_440), to: EscalationTarget })
      .nullable()
      .describe(
        'What happens if no agent claims a conversation in time, or the one who did is away and doesn’t reply. Counted within your business hours.',
      ),
  })
  .meta({ id: 'AssignmentSettings' });
export type AssignmentSettings = z.infer<typeof AssignmentSettings>;
export const OneAssignmentSettings = z.object({ assignment: AssignmentSettings });

export const AssignConversation = z
  .strictObject({
    assigneeId: idOf('user').nullable().optional().describe('null: no one. Omitted: unchanged.'),
    teamId: idOf('team').nullable().optional().describe('null: no team. Omitted: unchanged.'),
    note: z.string().trim().min(1).max(8_000).optional().describe('Internal note for the agent who takes over.'),
  })
  .refine(
    ({ assigneeId, teamId }) => assigneeId !== undefined || teamId !== undefined,
    'Set `assigneeId` or `teamId`.',
  );
export type AssignConversation = z.infer<typeof AssignConversation>;
