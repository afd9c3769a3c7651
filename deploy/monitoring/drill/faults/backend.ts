import type { Product } from '../product.ts';
import { post } from './repeat.ts';

/** A request with the server key of the demo's tenant. */
export async function asBackend<T>({ target, demo }: Product, method: string, path: string, body: object): Promise<T> {
  const key = { authorization: `Bearer ${demo.serverKey}`, 'x-service-api-key-id': demo.serverKeyId };
  const response = await fetch(target.apiUrl + path, { ...post(body, key), method });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}
