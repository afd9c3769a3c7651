import { Section } from '@parley/portal-kit/ui';
import { rolesWith, type Permission } from '../../../parts/rights.ts';

/** Shown in place of a section the member's role does not include. */
export const Refused = ({ title, what, permission }: { title: string; what: string; permission: Permission }) => (
  <Section title={title}>
    <span>
      Only {rolesWith(permission)} can view {what}. Ask an owner or admin in your organisation to change your role.
    </span>
  </Section>
);
