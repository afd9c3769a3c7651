import { read } from '@parley/portal-kit/context';

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data, or null if the member's role does not include it. The page then says why and shows the rest. */
export const readIfAllowed = <T>(answer: Answer<T>, request: Request): T | null =>
  answer.response.status === 403 ? null : read(answer, request);
