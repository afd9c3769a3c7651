import { setNonce } from 'get-nonce';
import { startTransition, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { pageNonce } from '../ui/nonce.ts';

/** Wakes the page that the server rendered. */
export function hydrate(): void {
  setNonce(pageNonce()); // dialogs style the page behind them
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <HydratedRouter />
      </StrictMode>,
    );
  });
}
