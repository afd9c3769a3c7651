import { createContext, useContext } from 'react';

/** The nonce during server rendering. */
export const NonceContext = createContext<string | undefined>(undefined);

/** In the browser it is read from an element, because styles added later need the page's nonce too. */
export const pageNonce = (): string => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

export function useNonce(): string {
  const rendering = useContext(NonceContext);
  return rendering ?? (typeof document === 'undefined' ? '' : pageNonce());
}
