import { mkdirSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';
import { resultsDir, resultsFile, type FileResult, type SuiteName } from './results.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Set by cpu-time.ts. */
    cpuMs?: number;
  }
}

const repository = resolve(import.meta.dirname, '../..');

/** Stores wall time and CPU time of every file, and its failures, after each file: an interrupted run keeps its results. */
export function resultsReporter(suite: SuiteName): Reporter {
  const results: FileResult[] = [];
  return {
    onTestModuleEnd(module) {
      results.push(resultOf(module));
      mkdirSync(resultsDir, { recursive: true });
      writeFileSync(resultsFile(suite), JSON.stringify(results, null, 1));
    },
  };
}

function resultOf(module: TestModule): FileResult {
  const tests = [...module.children.allTests()];
  const count = (state: string) => tests.filter((test) => test.result().state === state).length;
  const ofTests = tests.flatMap((test) =>
    test.result().state === 'failed'
      ? [{ name: test.fullName, message: (test.result().errors ?? []).map(messageOf).join('\n') }]
      : [],
  );
  const ofSuites = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  const failures = [...ofTests, ...ofSuites.map((error) => ({ name: '', message: messageOf(error) }))];
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    file: relative(repository, module.moduleId),
    status: module.ok() && failures.length === 0 ? 'passed' : 'failed',
    wallMs: Math.round(duration + collectDuration + setupDuration),
    cpuMs: module.meta().cpuMs ?? 0,
    passed: count('passed'),
    failed: Math.max(count('failed'), failures.length > 0 ? 1 : 0),
    skipped: count('skipped'),
    failures,
  };
}

interface Failure {
  message: string;
  stack?: string | undefined;
  diff?: string | undefined;
  cause?: unknown;
}
/** With the difference, which the message shortens, and the cause: no one can debug the machine of a CI run. */
function messageOf({ message, stack = '', diff, cause }: Failure): string {
  const frames = stack.split('\n').slice(1, 6).join('\n');
  const because = cause instanceof Object && 'message' in cause ? `caused by: ${String(cause.message)}` : '';
  const parts = [message, diff && stripVTControlCharacters(diff).slice(0, 2_000), because, frames];
  return parts.filter(Boolean).join('\n').slice(0, 4_000);
}
