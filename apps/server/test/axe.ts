import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

// Injects axe once per page. Its own builder injects it on every call into every frame, and opens another page for the
// result.

const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
const source = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  help: string;
  nodes: { target: unknown; html: string; failureSummary: string }[];
}
interface AxeOptions {
  /** Rules or tags; default: all. */
  runOnly?: readonly string[];
  rules?: Record<string, { enabled: boolean }>;
  /** Selector of elements to skip. */
  exclude?: string;
  /** Includes results that axe could not decide. */
  withIncomplete?: boolean;
}

/** Runs axe on a page, without its frames. */
export async function findBarriers(
  frame: Page | Frame,
  { exclude, withIncomplete = false, ...rest }: AxeOptions = {},
): Promise<{ violations: Finding[]; incomplete: Finding[] }> {
  if (!(await frame.evaluate<boolean>(`'axe' in window`))) await frame.evaluate(source);
  // Without passes: describing them takes longer than finding them.
  const resultTypes = withIncomplete ? ['violations', 'incomplete'] : ['violations'];
  const options = JSON.stringify({ ...rest, resultTypes, iframes: false });
  const context = exclude === undefined ? 'document' : JSON.stringify({ exclude: [[exclude]] });
  return frame.evaluate(
    `axe.run(${context}, ${options}).then(({ violations, incomplete }) => ({ violations, incomplete }))`,
  );
}
