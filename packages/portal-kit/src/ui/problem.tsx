import { Alert, Anchor, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useContext } from 'react';
import { Link } from 'react-router';
import { PoolContext } from './account-routes.ts';
import type { Problem } from './browser.ts';

/** Another plan would help. */
const isAboutPlan = ({ code, reason }: Problem) => code === 'FEATURE_NOT_ENTITLED' || reason === 'plan_limit_reached';

/** An error message with its details and the request ID for support. */
export function ProblemText({ problem }: { problem: Problem | undefined }) {
  const pool = useContext(PoolContext);
  if (!problem) return null;
  const { message, details, requestId, status } = problem;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert" variant="light">
      {message}
      {details.length > 0 && (
        <List size="sm" mt={4}>
          {details.map(({ path, message: detail }) => (
            <List.Item key={path + detail}>
              {fieldOf(path)}
              {detail}
            </List.Item>
          ))}
        </List>
      )}
      {pool === 'customer' && isAboutPlan(problem) && (
        <div>
          <Anchor component={Link} to="/organisation/plans" inherit>
            Compare plans
          </Anchor>
        </div>
      )}
      {status >= 500 && requestId && <div>If you contact support, include this request ID: {requestId}</div>}
    </Alert>
  );
}

/** The messages for these fields, and the error itself if it is about something else. */
export function errorsByField<F extends string>(problem: Problem | undefined, fields: readonly F[]) {
  const errors: Partial<Record<F, string>> = {};
  for (const { path, message } of problem?.details ?? []) {
    const name = path.split('/').pop() as F;
    if (fields.includes(name)) errors[name] ??= message;
  }
  return { errors, other: Object.keys(errors).length > 0 ? undefined : problem };
}

/** `/allowedOrigins/0` becomes `allowed origins`. */
function fieldOf(path: string): string {
  const segments = path
    .split('/')
    .filter((segment) => segment && !/^(body|query|\d+)$/.test(segment))
    .map((segment) => segment.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  return segments.length > 0 ? `${segments.join(', ')}: ` : '';
}
