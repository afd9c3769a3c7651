import { z } from 'zod';

const isOneLine = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/** What a person or an organisation is called. It stands in subjects and greetings of emails, so it is one line. */
export const nameOf = (max: number) =>
  z.string().trim().min(1).max(max).refine(isOneLine, 'Use a single line without control characters.');
