import { expect, test } from 'vitest';
import { isCancelling, textsIn } from './texts.ts';

test.each(['en', 'de', 'fr', 'es', 'nl', 'it', 'pt', 'pl', 'tr'])(
  '%s: what visitors are told to type cancels an action',
  (language) => {
    const [, quoted] = /[“„«‘]\s*(\p{L}+)\s*[”“»’]/u.exec(textsIn(language).actions.askAgain) ?? [];
    expect(quoted).toBeDefined();
    expect(isCancelling(quoted ?? ''), quoted).toBe(true);
  },
);
