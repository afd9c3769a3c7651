import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.ts';

export type { components, paths };
export type Schemas = components['schemas'];
export type Service = Client<paths>;

/** What every refusal looks like. */
export interface ServiceError {
  code: string;
  reason: string;
  message: string;
  requestId?: string;
  details?: { path: string; message: string }[];
}

interface Options {
  baseUrl: string;
  headers?: Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}

/** The client generated from the service's OpenAPI document: the same on the portal's server and in its pages. */
export const createService = (options: Options): Service => createClient<paths>(options);
