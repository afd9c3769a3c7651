import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from './browser.ts';

/** An error message with its details and the request ID for support. */
export function ProblemText({ problem }: { problem: Problem | undefined }) {
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
      {status >= 500 && requestId && <div>If you contact support, include this request ID: {requestId}</div>}
    </Alert>
  );
}

/** `/allowedOrigins/0` becomes `allowed origins`. */
function fieldOf(path: string): string {
  const segments = path
    .split('/')
    .filter((segment) => segment && !/^(body|query|\d+)$/.test(segment))
    .map((segment) => segment.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  return segments.length > 0 ? `${segments.join(', ')}: ` : '';
}
