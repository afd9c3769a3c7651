import { read } from '@parley/portal-kit/context';

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What was read, or null where the reader's role does not reach: the page then says why, and shows the rest. */
export const readIfAllowed = <T>(answer: Answer<T>, request: Request): T | null =>
  answer.response.status === 403 ? null : read(answer, request);
