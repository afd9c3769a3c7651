import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

// axe, put into a page once for all that is asked there: its own builder does so each time, in every frame, and opens a page
// of its own for the result.

const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
const source = readFileSync(createRequire(builder).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  help: string;
  nodes: { target: unknown; html: string; failureSummary: string }[];
}
interface AxeOptions {
  /** Rules, or tags of them; else all. */
  runOnly?: readonly string[];
  rules?: Record<string, { enabled: boolean }>;
  /** What is not looked at. */
  exclude?: string;
  /** Also what axe cannot decide. */
  withIncomplete?: boolean;
}

/** What keeps somebody out of a page, as far as axe can tell. Frames in it are not looked into. */
export async function findBarriers(
  frame: Page | Frame,
  { exclude, withIncomplete = false, ...rest }: AxeOptions = {},
): Promise<{ violations: Finding[]; incomplete: Finding[] }> {
  if (!(await frame.evaluate<boolean>(`'axe' in window`))) await frame.evaluate(source);
  // What passed is not told: to describe it takes longer than to find it.
  const resultTypes = withIncomplete ? ['violations', 'incomplete'] : ['violations'];
  const options = JSON.stringify({ ...rest, resultTypes, iframes: false });
  const context = exclude === undefined ? 'document' : JSON.stringify({ exclude: [[exclude]] });
  return frame.evaluate(
    `axe.run(${context}, ${options}).then(({ violations, incomplete }) => ({ violations, incomplete }))`,
  );
}
