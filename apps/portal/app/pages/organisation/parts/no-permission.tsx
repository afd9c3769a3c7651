import { Section } from '@parley/portal-kit/ui';
import { rolesWith, type Permission } from '../../../parts/rights.ts';

/** Shown in place of a section the member's role does not include. */
export const NoPermission = ({
  title,
  subject,
  permission,
}: {
  title: string;
  subject: string;
  permission: Permission;
}) => (
  <Section title={title}>
    <span>
      Only {rolesWith(permission)} can view {subject}. Ask an owner or admin in your organisation to change your role.
    </span>
  </Section>
);
