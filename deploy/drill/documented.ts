import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isForDrill, readPages } from '../../apps/server/test/docs/fences.ts';
import { dir, shell } from './machine.ts';
import { steps, type Step } from './steps.ts';

// The commands of the self-hosting pages, typed on the machine one after the other in one shell.

const fences = readPages()
  .filter(isForDrill)
  .flatMap((page) => page.fences);
const codeOf = (step: Step) => {
  const code = fences.find((fence) => fence.step === step)?.code;
  if (code === undefined) throw new Error(`no self-hosting page has a block with drill=${step}`);
  return code;
};

/** Values that the pages ask for, each in a block that is marked `yours`. */
export type Yours = Record<string, string>;
/** The line that sets each, as the page has it: what is exported changes what Compose reads from `.env`. */
const asked = new Map(
  fences
    .filter(({ kind, language }) => kind === 'yours' && language === 'sh')
    .flatMap(({ code }) =>
      [...code.matchAll(/^(export )?(\w+)=/gm)].map(([, prefix = '', name = '']) => [name, prefix] as const),
    ),
);
const assignment = (name: string, value: string) => {
  const prefix = asked.get(name);
  if (prefix === undefined) throw new Error(`no page asks for ${name}`);
  return `${prefix}${name}='${value}'`;
};

export function openSession(home: string, yours: Yours) {
  const typed = new Set<Step>();
  let cwd = home;
  const set = Object.entries(yours).map(([name, value]) => assignment(name, value));
  return {
    cwd: () => cwd,
    set: (name: string, value: string) => set.push(assignment(name, value)),
    /** Types the command of a step. */
    run: async (step: Step): Promise<string> => {
      typed.add(step);
      const place = join(dir, 'cwd');
      const { stdout } = await shell([...set, codeOf(step), `pwd > ${place}`].join('\n'), { cwd });
      cwd = readFileSync(place, 'utf8').trim();
      return stdout;
    },
    script: (step: Step) => [...set, codeOf(step)].join('\n'),
    untyped: () => steps.filter((step) => !typed.has(step)),
  };
}
export type Session = ReturnType<typeof openSession>;
