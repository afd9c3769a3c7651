import { z } from 'zod';

const isOneLine = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/** Name of a person or an organisation. Used in email subjects, so it must be one line. */
export const nameOf = (max: number) =>
  z.string().trim().min(1).max(max).refine(isOneLine, 'Use a single line without control characters.');
