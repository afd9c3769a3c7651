import { Alert, List } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago } from '@parley/portal-kit/ui';
import { IconUserShield } from '@tabler/icons-react';

/** Platform admins who are impersonating a member right now. */
export function ActiveImpersonations({ impersonations }: { impersonations: Schemas['RunningImpersonation'][] }) {
  if (impersonations.length === 0) return null;
  return (
    <Alert color="orange" role="status" icon={<IconUserShield size={18} aria-hidden />} title="Active impersonation">
      <List size="sm" listStyleType="none">
        {impersonations.map(({ sessionId, operatorName, name, reason, expiresAt }) => (
          <List.Item key={sessionId}>
            Platform admin {operatorName} is impersonating {name}. Ends <Ago at={expiresAt} />. Reason: {reason}
          </List.Item>
        ))}
      </List>
      Everything they do is in the audit log under their name.
    </Alert>
  );
}
