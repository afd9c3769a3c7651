import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from './browser.ts';

/** What was refused, why, and what to do; with the number our support asks for. */
export function ProblemText({ problem }: { problem: Problem | undefined }) {
  if (!problem) return null;
  const { message, details, requestId, status } = problem;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert" variant="light">
      {message}
      {details.length > 0 && (
        <List size="sm" mt={4}>
          {details.map(({ path, message: why }) => (
            <List.Item key={path + why}>
              {fieldOf(path)}
              {why}
            </List.Item>
          ))}
        </List>
      )}
      {status >= 500 && requestId && <div>If you contact support, include this request ID: {requestId}</div>}
    </Alert>
  );
}

/** `/allowedOrigins/0` as a person would say it. */
function fieldOf(path: string): string {
  const words = path
    .split('/')
    .filter((part) => part && !/^(body|query|\d+)$/.test(part))
    .map((part) => part.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  return words.length > 0 ? `${words.join(', ')}: ` : '';
}
