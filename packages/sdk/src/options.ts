/** Who is calling: a server key, or somebody's access token. */
export type Credential =
  | { keyId: string; key: string; accessToken?: never }
  | { accessToken: string | (() => string | Promise<string>); keyId?: never; key?: never };

/** Where to, and how patiently. */
export interface Connection {
  /** Where the service is, such as `https://api.parley.example`. */
  apiUrl: string;
  /** How often a call is made again at the most, where that is safe. 2 unless you say otherwise. */
  maxRetries?: number;
  /** How long one attempt may take, in milliseconds. 30 seconds unless you say otherwise. */
  timeoutMs?: number;
  /** In place of the `fetch` of your runtime. */
  fetch?: typeof fetch;
}

export type ParleyOptions = Credential & Connection;

/** What every method takes besides its own input. */
export interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  /** What a creation is known by. One is made for you; name your own to repeat the call from another process. */
  idempotencyKey?: string;
}

export type Call<Data extends { url: string }> = Omit<Data, 'url'> & CallOptions;
