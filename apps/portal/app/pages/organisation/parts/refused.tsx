import { Section } from '@parley/portal-kit/ui';
import { rolesWith, type Permission } from '../../../parts/rights.ts';

/** In place of what somebody's role does not include: who has it, and what to do. */
export const Refused = ({ title, what, permission }: { title: string; what: string; permission: Permission }) => (
  <Section title={title}>
    <span>
      {what} can be seen by {rolesWith(permission)}. Your role does not include it. Ask one of them, or an owner for
      that role.
    </span>
  </Section>
);
