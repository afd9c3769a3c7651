import { Alert, List } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago } from '@parley/portal-kit/ui';
import { IconUserShield } from '@tabler/icons-react';

/** Operators of the service who act in the place of a member at this moment. */
export function Visits({ visits }: { visits: Schemas['RunningImpersonation'][] }) {
  if (visits.length === 0) return null;
  return (
    <Alert color="orange" role="status" icon={<IconUserShield size={18} aria-hidden />} title="Support is here">
      <List size="sm" listStyleType="none">
        {visits.map(({ sessionId, operatorName, name, reason, expiresAt }) => (
          <List.Item key={sessionId}>
            Operator {operatorName} is acting as {name}. It ends <Ago at={expiresAt} /> at the latest. Reason: {reason}
          </List.Item>
        ))}
      </List>
      What they do stands in the audit log under their name.
    </Alert>
  );
}
