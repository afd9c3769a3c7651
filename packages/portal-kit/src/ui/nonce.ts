import { createContext, useContext } from 'react';

/** The server's, while it renders a page. */
export const NonceContext = createContext<string | undefined>(undefined);

/** In a browser it is asked of an element that has it: what is styled later needs the page's own nonce, too. */
export const pageNonce = (): string => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

export function useNonce(): string {
  const rendering = useContext(NonceContext);
  return rendering ?? (typeof document === 'undefined' ? '' : pageNonce());
}
