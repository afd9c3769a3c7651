import { read } from '@parley/portal-kit/context';

interface ServiceResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data, or null if the member's role does not include it. The page then says why and shows the rest. */
export const readIfAllowed = <T>(response: ServiceResponse<T>, request: Request): T | null =>
  response.response.status === 403 ? null : read(response, request);
